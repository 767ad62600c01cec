// Checks and measures content while it is written.
import { createHash } from 'node:crypto';
import { ServiceError } from '../../platform/errors.ts';
import { imageTypeOf, SIGNATURE_BYTES, type ImageType } from '../../platform/files/image-type.ts';
import { checkDigests, type ContentDigests, type DigestAlgorithm } from './content-digest.ts';

/** The received content, before an image is encoded again. */
export interface ReceivedContent {
  /** In bytes. */
  readonly size: number;
  readonly sha256: Buffer;
}

/** The properties that content must have. */
export interface ContentTerms {
  /** A media type. If it is an image type, the content must be an image. */
  readonly declaredType: string;
  /** Maximum size in bytes. */
  readonly maximum: number;
  /** Whether the size must be exactly `maximum`. */
  readonly exact: boolean;
}

/** Creates a check that looks at each chunk of the content once, in order. */
export function createContentInspection({ declaredType, maximum, exact }: ContentTerms, digests: ContentDigests) {
  const sha256 = createHash('sha256');
  const sha512 = digests.has('sha-512') ? createHash('sha512') : undefined;
  const isImageExpected = declaredType.toLowerCase().startsWith('image/');
  let head = Buffer.alloc(0);
  let size = 0;

  const assertImage = () => {
    if (!isImageExpected || imageTypeOf(head) !== undefined) return;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { publicMessage: 'Images must be PNG, JPEG, WebP or GIF' });
  };
  return {
    /** Throws PAYLOAD_TOO_LARGE or UNSUPPORTED_MEDIA_TYPE as soon as the content cannot be the expected one. */
    inspect(chunk: Uint8Array): void {
      size += chunk.length;
      if (size > maximum) {
        throw new ServiceError('PAYLOAD_TOO_LARGE', { publicMessage: `The content has more than ${maximum} bytes` });
      }
      if (head.length < SIGNATURE_BYTES) {
        head = Buffer.concat([head, chunk.subarray(0, SIGNATURE_BYTES - head.length)]);
        if (head.length === SIGNATURE_BYTES) assertImage();
      }
      sha256.update(chunk);
      sha512?.update(chunk);
    },
    /**
     * Call it after the last chunk. Returns the image type if the content is an image. Throws UNSUPPORTED_MEDIA_TYPE or
     * VALIDATION_ERROR (too short, or another digest).
     */
    finish(): { readonly received: ReceivedContent; readonly imageType: ImageType | undefined } {
      if (exact && size < maximum) throw tooShort(size, maximum);
      assertImage();
      const received = { size, sha256: sha256.digest() };
      const hashes = new Map<DigestAlgorithm, Buffer>([['sha-256', received.sha256]]);
      if (sha512) hashes.set('sha-512', sha512.digest());
      checkDigests(digests, hashes);
      return { received, imageType: imageTypeOf(head) };
    },
  };
}

function tooShort(size: number, declared: number): ServiceError {
  const message = `must have ${declared} bytes, as declared`;
  const violations = [{ message, format: 'length', props: ['size'], params: { declared, size } }];
  return new ServiceError('VALIDATION_ERROR', { publicMessage: 'The content is shorter than declared', violations });
}
