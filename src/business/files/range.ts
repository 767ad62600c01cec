import type { ByteRange } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Span } from '../../platform/files/object-store.ts';
import type { FileContent } from './file.ts';

/**
 * Returns the bytes that a request asks for (RFC 9110 section 14.1.2). Returns all bytes if it has no range, or if
 * If-Range does not match. Throws VALIDATION_ERROR for an invalid range, and RANGE_NOT_SATISFIABLE if the range lies
 * outside the content.
 */
export function spanOf({ size, sha256 }: FileContent, range: ByteRange | undefined): Span {
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
