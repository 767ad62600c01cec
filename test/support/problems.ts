import { expect } from 'vitest';

/** Matches an answer that is this problem document (RFC 7807), whole. */
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
