// Images that belong to a record.
import Type from 'typebox';
import type { Image } from '../../proto/gen/authservice/business/v1/record.ts';

/** The media types of images. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

/** How many images a record can have of a kind. */
const MAX_IMAGES = 20;

/** Schema of the staged files that a caller makes a record's images. */
export const StagedFiles = (description: string) =>
  Type.Array(
    Type.Object(
      {
        date: Type.String({ description: 'The day on which the file was prepared, YYYY-MM-DD.' }),
        uuid: Type.String({ description: 'Id of the file.' }),
      },
      { title: 'StagedFile', additionalProperties: false },
    ),
    { maxItems: MAX_IMAGES, description },
  );

/** Schema of the images that an answer shows. */
export const Images = (description: string) =>
  Type.Array(
    Type.Object(
      {
        index: Type.Integer({ minimum: 0, description: 'Place in the list.' }),
        url: Type.String({ description: 'Path of the image.' }),
        contentType: Type.Enum([...IMAGE_TYPES]),
        size: Type.Integer({ description: 'In bytes.' }),
      },
      { title: 'Image' },
    ),
    { description },
  );

/** Images as they are shown. */
export function imagesBody(images: readonly Image[], path: string) {
  return images.map(({ contentType, size }, index) => ({
    index,
    url: `${path}/${index}`,
    contentType: contentType as ImageType,
    size,
  }));
}

/** An index of a path, as the core takes it: what is none becomes the index of no image. */
export function indexOf(text: string): number {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : -1;
}
