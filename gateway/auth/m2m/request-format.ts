import type { FastifyRequest } from 'fastify';

/** Format of a token request and its errors. `form`: as in RFC 6749. `json`: a JSON body and problem documents. */
export type RequestFormat = 'form' | 'json';

/** Returns the media type of the Content-Type header in lower case, without parameters. Returns '' without the header. */
export function mediaTypeOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
}

/** Returns the format of a request: `json` for application/json, otherwise `form`. */
export function requestFormatOf(request: Pick<FastifyRequest, 'headers'>): RequestFormat {
  return mediaTypeOf(request) === 'application/json' ? 'json' : 'form';
}

/** Whether an Authorization header uses the scheme Basic. The scheme is case-insensitive (RFC 9110 section 11.1). */
export function usesBasic(authorization: string | undefined): boolean {
  return /^basic(?: |$)/i.test(authorization ?? '');
}
