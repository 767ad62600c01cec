/** The image types that are stored as images. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** The number of leading bytes needed to detect the type. */
export const SIGNATURE_BYTES = 12;

const SIGNATURES: Readonly<Record<ImageType, RegExp>> = {
  // oxlint-disable-next-line no-control-regex -- They are part of the signature.
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/webp': /^RIFF[^]{4}WEBP/,
  'image/gif': /^GIF8[79]a/,
};

/** Returns the image type that the first bytes indicate; undefined if they indicate none of these. */
export function imageTypeOf(head: Uint8Array): ImageType | undefined {
  const text = Buffer.from(head.subarray(0, SIGNATURE_BYTES)).toString('latin1');
  return IMAGE_TYPES.find((type) => SIGNATURES[type].test(text));
}
