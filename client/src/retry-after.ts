const DECIMAL = /^\d{1,9}$/;

/** Parses a Retry-After header: seconds or a date (RFC 9110 section 10.2.3). */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (DECIMAL.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
