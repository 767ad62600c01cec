import { expect } from 'vitest';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DIAGNOSTICS = ['exceptionMessage', 'exceptionType', 'stackTrace'];

/** Matches a response with this error of Profile B: the four members, and optionally the diagnostics. */
export function authError(
  status: number,
  error: string,
  path: string | undefined,
  message: unknown = expect.any(String),
): unknown {
  const members = ['error', 'message', ...(path === undefined ? [] : ['path']), 'timestamp'];
  return expect.objectContaining({
    status,
    headers: expect.toSatisfy(
      (headers: Headers) => headers.get('content-type') === 'application/json' && headers.getSetCookie().length === 0,
      'JSON without a cookie',
    ),
    body: expect.toSatisfy((body: Record<string, unknown>) => {
      const others = Object.keys(body).filter((name) => !DIAGNOSTICS.includes(name));
      expect(others.toSorted()).toEqual(members);
      expect(body).toMatchObject({ error, message, timestamp: expect.stringMatching(ISO), ...(path && { path }) });
      return true;
    }, `the error ${error}`),
  });
}
