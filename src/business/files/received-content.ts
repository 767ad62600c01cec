import { createHash } from 'node:crypto';
import { checkDigests, type ContentDigests, type DigestAlgorithm } from './content-digest.ts';

/** The received content, before an image is encoded again. */
export interface ReceivedContent {
  /** In bytes. */
  readonly size: number;
  readonly sha256: Buffer;
}

/** Passes chunks on and hashes them. Rejects with VALIDATION_ERROR at the end if a digest does not match. */
export function measureContent(source: AsyncIterable<Uint8Array>, digests: ContentDigests) {
  const sha256 = createHash('sha256');
  const sha512 = digests.has('sha-512') ? createHash('sha512') : undefined;
  let received: ReceivedContent | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      sha256.update(chunk);
      sha512?.update(chunk);
      yield chunk;
    }
    received = { size, sha256: sha256.digest() };
    const hashes = new Map<DigestAlgorithm, Buffer>([['sha-256', received.sha256]]);
    if (sha512) hashes.set('sha-512', sha512.digest());
    checkDigests(digests, hashes);
  }
  return {
    chunks: chunks(),
    /** Call it only after the last chunk. */
    received(): ReceivedContent {
      if (!received) throw new TypeError('The content has not been received whole');
      return received;
    },
  };
}
