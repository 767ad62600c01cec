// Which calls unary-call.ts can read. Whatever is unusual in their headers, grpc-js and its patches read.
import type { IncomingHttpHeaders } from 'node:http2';
import { CREDENTIALS, MAX_TIMEOUT_MS } from './patches/incoming-headers.ts';

const TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000001 };

/** Whether a call is not compressed and has at most one credential of each kind, as text. A compressed one gets a compressed response. */
export function isPlainCall(headers: IncomingHttpHeaders, rawHeaders: readonly string[]): boolean {
  const encoding = headers['grpc-encoding'];
  return (
    headers[':method'] === 'POST' &&
    headers['content-type']?.startsWith('application/grpc') === true &&
    (encoding === undefined || encoding === 'identity') &&
    CREDENTIALS.every((name) => headers[`${name}-bin`] === undefined) &&
    !hasRepeatedCredentials(rawHeaders)
  );
}

/** Node joins repeated headers or keeps only the first. A value that is such a name counts too, which does no harm. */
function hasRepeatedCredentials(rawHeaders: readonly string[]): boolean {
  return CREDENTIALS.some((name) => rawHeaders.indexOf(name) !== rawHeaders.lastIndexOf(name));
}

/** Returns the timeout of a call in milliseconds; Infinity without one, and undefined if it is unusual. */
export function timeoutOf({ 'grpc-timeout': text }: IncomingHttpHeaders): number | undefined {
  if (text === undefined) return Infinity;
  const [, digits, unit] = TIMEOUT.exec(String(text)) ?? [];
  if (unit === undefined) return undefined;
  const timeoutMs = Math.floor(Number(digits) * UNIT_MS[unit]!);
  return timeoutMs > MAX_TIMEOUT_MS ? undefined : timeoutMs;
}
