// Reads uploads: streams of parts, whose first part describes the rest.
import { ServiceError, type Violation } from '../../platform/errors.ts';
import { fieldRule } from '../../platform/rpc/field-rule.ts';

/** The remaining parts of a stream. */
export type Parts<Part> = AsyncIterator<Part>;

const { max: MAX_CHUNK_BYTES } = fieldRule('authservice.business.v1.UploadFileRequest.chunk');
/**
 * Minimum size of a chunk, because each message has a fixed cost. Only the end of a file and slow senders may send
 * shorter ones.
 */
const MIN_CHUNK_BYTES = 65_536;
/** Minimum duration of an upload for each shorter chunk before its last, in milliseconds. */
const SHORT_CHUNK_INTERVAL_MS = 1_000;

/** Returns the next part; undefined after the last. */
export async function nextPart<Part>(parts: Parts<Part>): Promise<Part | undefined> {
  const { done, value } = await parts.next();
  return done === true ? undefined : value;
}

/** Returns a chunk of an upload. Throws VALIDATION_ERROR if it is empty or too long, or follows too many short ones. */
export type CheckChunk = (chunk: Uint8Array) => Uint8Array;

/**
 * Creates a check for the chunks of an upload that begins now, called in their order. It measures time from the
 * beginning, because chunks sent one after the other may be read at once.
 */
export function createChunkCheck(now: () => number = () => performance.now()): CheckChunk {
  const startedAt = now();
  let followed = 0;
  let isShort = false;
  return (chunk) => {
    if (chunk.length === 0 || chunk.length > MAX_CHUNK_BYTES) {
      const params = { minimum: 1, maximum: MAX_CHUNK_BYTES };
      throw misplaced(`a chunk must have 1 to ${MAX_CHUNK_BYTES} bytes`, params);
    }
    if (isShort) followed += 1;
    if (followed * SHORT_CHUNK_INTERVAL_MS > now() - startedAt) {
      const params = { minimum: MIN_CHUNK_BYTES };
      throw misplaced(`a chunk that another one follows must have at least ${MIN_CHUNK_BYTES} bytes`, params);
    }
    isShort = chunk.length < MIN_CHUNK_BYTES;
    return chunk;
  };
}

/** Creates the error of a stream with a misplaced part. */
export function misplaced(message: string, params: Violation['params'] = {}): ServiceError {
  return new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The upload is not made of the right parts',
    violations: [{ message, format: 'part', props: ['part'], params }],
  });
}
