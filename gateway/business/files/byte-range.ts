// Converts Range and If-Range (RFC 9110 sections 13.1.5 and 14.2) to the core's ByteRange.
import type { FastifyRequest } from 'fastify';
import type { ByteRange, DownloadStart } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { contentTag } from './staged-file.ts';

const RANGE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;
const ENTITY_TAG = /^"([\da-f]{64})"$/;
/** A position beyond the end of every file. */
const FAR = Number.MAX_SAFE_INTEGER;
/** Equals the SHA-256 of no content. */
const NO_HASH = Buffer.alloc(0);

/**
 * Returns the range that a GET requests. Undefined without a range, and for a range that a server may ignore: of another unit,
 * malformed, or several ranges.
 */
export function byteRangeOf({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): ByteRange | undefined {
  const parsed = RANGE.exec(headers.range ?? '');
  if (method !== 'GET' || !parsed) return undefined;
  const [, first, last, suffix] = parsed;
  const ifSha256 = conditionOf(headers['if-range']);
  // The last 0 bytes are an empty range, which no file satisfies.
  if (suffix !== undefined) return { first: -bounded(suffix) || FAR, ifSha256 };
  const range = { first: bounded(first!), last: last ? bounded(last) : undefined, ifSha256 };
  return range.last !== undefined && range.last < range.first ? undefined : range;
}

/**
 * An If-Range value that is not an ETag of this service, for example a date, matches nothing. Nor does a tag that a compressing
 * proxy has changed: the client holds other bytes than those that the range counts.
 */
function conditionOf(header: string | readonly string[] | undefined): Buffer | undefined {
  if (header === undefined) return undefined;
  const [, hash] = ENTITY_TAG.exec(String(header).trim()) ?? [];
  return hash === undefined ? NO_HASH : Buffer.from(hash, 'hex');
}

function bounded(digits: string): number {
  return Math.min(Number(digits), FAR);
}

/** Returns the `Content-Range` of a partial response. Undefined if the response is the whole file. */
export function contentRangeOf(
  { content, first, length }: DownloadStart,
  range: ByteRange | undefined,
): string | undefined {
  if (range === undefined || content === undefined) return undefined;
  if (range.ifSha256 && contentTag(content) !== contentTag({ sha256: range.ifSha256 })) return undefined;
  return `bytes ${first}-${first + length - 1}/${content.size}`;
}
