// Uploads as they arrive: parts of a stream, of which the first says what follows.
import { ServiceError, type Violation } from '../../errors.ts';

/** The parts of a stream that are still to come. */
export type Parts<Part> = AsyncIterator<Part>;

/** Most bytes of a part. */
const MAX_CHUNK = 1_048_576;

/** The next part; undefined after the last. */
export async function nextPart<Part>(parts: Parts<Part>): Promise<Part | undefined> {
  const { done, value } = await parts.next();
  return done === true ? undefined : value;
}

/** Throws VALIDATION_ERROR for a chunk that is empty or too long. */
export function checkedChunk(chunk: Uint8Array): Uint8Array {
  if (chunk.length > 0 && chunk.length <= MAX_CHUNK) return chunk;
  const params = { minimum: 1, maximum: MAX_CHUNK };
  throw misplaced(`a chunk must have 1 to ${MAX_CHUNK} bytes`, params);
}

/** A stream that is not made as it should be. */
export function misplaced(message: string, params: Violation['params'] = {}): ServiceError {
  return new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The upload is not made of the right parts',
    violations: [{ message, format: 'part', props: ['part'], params }],
  });
}
