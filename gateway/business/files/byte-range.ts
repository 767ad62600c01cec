// Range and If-Range (RFC 9110 sections 13.1.5 and 14.2) in the core's terms.
import type { FastifyRequest } from 'fastify';
import type { ByteRange, DownloadStart } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { contentTag } from './staged-file.ts';

const RANGE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;
const ENTITY_TAG = /^"([\da-f]{64})"$/;
/** Beyond the end of anything. */
const FAR = Number.MAX_SAFE_INTEGER;
const NONE = Buffer.alloc(0);

/**
 * The range that a GET asks for. Undefined where it asks for none, and for one that may be ignored: of another unit, malformed,
 * or several at once.
 */
export function byteRangeOf({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): ByteRange | undefined {
  const parsed = RANGE.exec(headers.range ?? '');
  if (method !== 'GET' || !parsed) return undefined;
  const [, first, last, suffix] = parsed;
  const ifSha256 = conditionOf(headers['if-range']);
  // The last 0 bytes are none.
  if (suffix !== undefined) return { first: -bounded(suffix) || FAR, ifSha256 };
  const range = { first: bounded(first!), last: last ? bounded(last) : undefined, ifSha256 };
  return range.last !== undefined && range.last < range.first ? undefined : range;
}

/** What is no tag of ours, a date for example, is the tag of no content. */
function conditionOf(header: string | readonly string[] | undefined): Buffer | undefined {
  if (header === undefined) return undefined;
  const [, hash] = ENTITY_TAG.exec(String(header).trim()) ?? [];
  return hash === undefined ? NONE : Buffer.from(hash, 'hex');
}

function bounded(digits: string): number {
  return Math.min(Number(digits), FAR);
}

/** `Content-Range` of an answer that is a part; undefined where it is the whole. */
export function contentRangeOf(
  { content, first, length }: DownloadStart,
  range: ByteRange | undefined,
): string | undefined {
  if (range === undefined || content === undefined) return undefined;
  if (range.ifSha256 && contentTag(content) !== contentTag({ sha256: range.ifSha256 })) return undefined;
  return `bytes ${first}-${first + length - 1}/${content.size}`;
}
