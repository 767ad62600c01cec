import { expect } from 'vitest';

/** Matches a response with exactly this problem document (RFC 9457). */
export function problem(
  status: number,
  errorCode: string,
  instance: string,
  detail: unknown = expect.any(String),
): unknown {
  return expect.objectContaining({
    status,
    headers: expect.toSatisfy(
      (headers: Headers) => headers.get('content-type') === 'application/problem+json',
      'a problem document',
    ),
    body: expect.objectContaining({
      type: `urn:service:error:${errorCode}`,
      title: expect.any(String),
      status,
      detail,
      errorCode,
      instance,
    }),
  });
}
