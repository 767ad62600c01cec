import type { FastifyRequest } from 'fastify';

/** Format of a token request and its errors. `form`: as in RFC 6749. `json`: a JSON body and problem documents. */
export type Dialect = 'form' | 'json';

/** Returns the media type of the Content-Type header in lower case, without parameters. Returns '' without the header. */
export function mediaTypeOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
}

/** Returns the dialect by the content type: `json` for application/json, else `form`. */
export function dialectOf(request: Pick<FastifyRequest, 'headers'>): Dialect {
  return mediaTypeOf(request) === 'application/json' ? 'json' : 'form';
}

/** Whether an Authorization header uses the scheme Basic. The scheme is case-insensitive (RFC 9110 section 11.1). */
export function usesBasic(authorization: string | undefined): boolean {
  return /^basic(?: |$)/i.test(authorization ?? '');
}
