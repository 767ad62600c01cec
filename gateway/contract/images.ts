// Images that belong to a record.
import { Type } from '../type.ts';
import type { Image } from '../../proto/gen/authservice/business/v1/record.ts';

/** The supported media types of images. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

/** Schema of an image in a response. */
export const ImageSchema = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Position in the list, from 0.' }),
    url: Type.String({ description: 'Path of the image.' }),
    contentType: Type.Enum([...IMAGE_TYPES]),
    size: Type.Integer({ description: 'Size in bytes.' }),
  },
  { title: 'Image' },
);

/** Converts images to their members in a response. `path` is the path of the list of images. */
export function imagesBody(images: readonly Image[], path: string) {
  return images.map(({ contentType, size }, index) => ({
    index,
    url: `${path}/${index}`,
    contentType: contentType as ImageType,
    size,
  }));
}

/** Parses an index in a path. Returns -1, which is never the index of an image, if the text is malformed. */
export function indexOf(text: string): number {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : -1;
}
