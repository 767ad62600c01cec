import type { FastifyRequest } from 'fastify';

/** How a token request is written, and how its errors are: as RFC 6749 has it, or as JSON and problem documents. */
export type Dialect = 'form' | 'json';

/** The media type of a Content-Type header without its parameters, in lower case; '' where there is no header. */
export function mediaTypeOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
}

/** The content type picks the dialect: whatever is not JSON is the form dialect. */
export function dialectOf(request: Pick<FastifyRequest, 'headers'>): Dialect {
  return mediaTypeOf(request) === 'application/json' ? 'json' : 'form';
}

/** Whether the client authenticates by the Authorization header; the scheme is case-insensitive (RFC 9110 section 11.1). */
export function usesBasic(authorization: string | undefined): boolean {
  return /^basic(?: |$)/i.test(authorization ?? '');
}
