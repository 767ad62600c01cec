import type { ByteRange } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { ServiceError } from '../../errors.ts';
import type { Span } from '../../files/object-store.ts';
import type { FileContent } from './file.ts';

/**
 * Which bytes of a content a request wants (RFC 9110 section 14.1.2): all of them where it names none, or names them of another
 * content. Throws VALIDATION_ERROR for a range that is none, RANGE_NOT_SATISFIABLE where the content has none of it.
 */
export function spanOf({ size, sha256 }: FileContent, range: ByteRange | undefined): Span {
  if (range === undefined || (range.ifSha256 && !sha256.equals(range.ifSha256))) return { first: 0, length: size };
  const { first, last } = range;
  if (last !== undefined && (first < 0 || last < first)) {
    const violation = { message: 'must not end before it begins', format: 'range', props: ['range'] };
    throw new ServiceError('VALIDATION_ERROR', { publicMessage: 'The range is none', violations: [violation] });
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
