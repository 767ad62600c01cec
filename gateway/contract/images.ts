// Images that belong to a record.
import Type from 'typebox';
import type { Image } from '../../proto/gen/authservice/business/v1/record.ts';

/** The media types of images. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

/** Schema of an image that an answer shows. */
export const ShownImage = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Place in the list.' }),
    url: Type.String({ description: 'Path of the image.' }),
    contentType: Type.Enum([...IMAGE_TYPES]),
    size: Type.Integer({ description: 'In bytes.' }),
  },
  { title: 'Image' },
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
