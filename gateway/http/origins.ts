// Web origins (RFC 6454): which may call with credentials.
import type { FastifyRequest } from 'fastify';
import { RequestOrigin } from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { GatewaySettings } from '../context.ts';

export type AllowedOrigins = GatewaySettings['app.http.cors.allowed-origins'];

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/;
const ORIGIN = /^(https?):\/\/(.+)$/;
const DEFAULT_PORT = { http: /:80$/, https: /:443$/ } as const;

/** Whether an Origin header names a listed origin, to the letter. */
export function originMatcher({ origins, anyLoopbackPort }: AllowedOrigins): (origin: string) => boolean {
  const listed = new Set(origins);
  return (origin) => listed.has(origin) || (anyLoopbackPort && LOOPBACK.test(origin));
}

/**
 * Whether an origin is the one that the request was sent to. Browsers leave out a default port where proxies may not. Whether
 * TLS ends in front of the service is known only from a trusted proxy: without one either scheme may be the own.
 */
function isOwn(origin: string, { host, protocol }: FastifyRequest): boolean {
  const [, scheme, authority] = (ORIGIN.exec(origin) ?? []) as [string?, ('http' | 'https')?, string?];
  if (scheme === undefined || (protocol === 'https' && scheme !== 'https')) return false;
  return authority === host.toLowerCase().replace(DEFAULT_PORT[scheme], '');
}

/** Longer ones are no origins; the core refuses them. */
const MAX_CHARACTERS = 300;

/** The Origin header as the core wants it. */
export function browserOrigin({ headers }: FastifyRequest): string | undefined {
  return headers.origin?.slice(0, MAX_CHARACTERS);
}

/** Where the page that sent a request comes from: the service itself, a listed origin, or elsewhere. */
export function requestOrigin(request: FastifyRequest, isListed: (origin: string) => boolean): RequestOrigin {
  const { origin } = request.headers;
  if (origin === undefined) return RequestOrigin.REQUEST_ORIGIN_UNSPECIFIED;
  if (isOwn(origin, request)) return RequestOrigin.REQUEST_ORIGIN_OWN;
  return isListed(origin) ? RequestOrigin.REQUEST_ORIGIN_LISTED : RequestOrigin.REQUEST_ORIGIN_FOREIGN;
}
