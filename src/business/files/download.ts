import type { ByteRange, DownloadStart } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { ObjectStore, Span } from '../../platform/files/object-store.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { type FileContent, contentMessage } from './file.ts';
import type { BeginTransfer } from './open-transfers.ts';
import { ServiceError } from '../../platform/errors.ts';

/** One message of a download. */
export interface DownloadPart {
  readonly part:
    | { readonly $case: 'start'; readonly value: DownloadStart }
    | { readonly $case: 'chunk'; readonly value: Buffer };
}

/** Sends a content or the requested range of it. Throws RANGE_NOT_SATISFIABLE, TOO_MANY_REQUESTS. */
export type Download = (call: Call, content: FileContent, range: ByteRange | undefined) => AsyncGenerator<DownloadPart>;

export function createDownload(objects: ObjectStore, beginTransfer: BeginTransfer): Download {
  return async function* download(call, content, range) {
    const span = spanOf(content, range);
    const endTransfer = beginTransfer(call);
    try {
      // The object is opened before the first message is sent, and closed however the download ends.
      await using bytes = await objects.read(content.objectKey, span, call.deadline.signal);
      yield { part: { $case: 'start', value: { content: contentMessage(content), ...span } } };
      let missing = span.length;
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        missing -= chunk.length;
        yield { part: { $case: 'chunk', value: chunk } };
      }
      // Fail now, because the client would wait for the missing bytes.
      if (missing !== 0) throw new TypeError('An object in the store is shorter than its stored size');
    } finally {
      endTransfer();
    }
  };
}

/**
 * Returns the bytes that a request asks for (RFC 9110 section 14.1.2). Returns all bytes if it has no range, or if
 * If-Range does not match. Throws VALIDATION_ERROR for an invalid range, and RANGE_NOT_SATISFIABLE if the range lies
 * outside the content.
 */
function spanOf({ size, sha256 }: FileContent, range: ByteRange | undefined): Span {
  if (range === undefined || (range.ifSha256 && !sha256.equals(range.ifSha256))) return { first: 0, length: size };
  const { first, last } = range;
  if (last !== undefined && (first < 0 || last < first)) {
    const violation = { message: 'must not end before it begins', format: 'range', props: ['range'] };
    throw new ServiceError('VALIDATION_ERROR', { publicMessage: 'The range is invalid', violations: [violation] });
  }
  if (first >= size) {
    const violation = {
      message: `must begin before byte ${size}`,
      format: 'range',
      props: ['range'],
      params: { size, sha256: sha256.toString('hex') },
    };
    throw new ServiceError('RANGE_NOT_SATISFIABLE', { violations: [violation] });
  }
  const begin = first < 0 ? Math.max(0, size + first) : first;
  return { first: begin, length: Math.min(last ?? size - 1, size - 1) - begin + 1 };
}
