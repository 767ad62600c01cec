import { expect } from 'vitest';
import { problem } from '../../support/problems.ts';
import { TOKEN } from './clients.ts';

const DESCRIBABLE = /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/;

/** Matches a whole error of the form dialect (RFC 6749 section 5.2). */
export function formError(
  status: number,
  error: string,
  description: unknown = expect.stringMatching(DESCRIBABLE),
): unknown {
  return expect.objectContaining({
    status,
    headers: expect.toSatisfy(
      (headers: Headers) => headers.get('content-type') === 'application/json' && isNotStored(headers),
      'JSON that nobody stores',
    ),
    body: { error, error_description: description },
  });
}

/** Matches a whole error of the JSON dialect. */
export function jsonError(status: number, code: string, detail?: unknown, instance = TOKEN): unknown {
  return expect.toSatisfy(
    (response: { readonly headers: Headers }) =>
      isNotStored(response.headers) &&
      (problem(status, code, instance, detail) as { asymmetricMatch(other: unknown): boolean }).asymmetricMatch(
        response,
      ),
    `a problem document ${status} ${code} that nobody stores`,
  );
}

export function isNotStored(headers: Headers): boolean {
  return headers.get('cache-control') === 'no-store' && headers.get('pragma') === 'no-cache';
}
