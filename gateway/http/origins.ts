// The origins of the pages, and the browsers, that send requests.
import type { FastifyRequest } from 'fastify';
import { RequestOrigin } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { originMatcher } from '../../src/platform/formats/origins.ts';
import type { GatewaySettings } from '../context.ts';

const ORIGIN = /^(https?):\/\/(.+)$/;
const DEFAULT_PORT = { http: /:80$/, https: /:443$/ } as const;

/** Returns the origin of `app.public-url`; undefined if it is not set. The paths of URLs begin with the context path. */
export function publicOrigin(settings: Pick<GatewaySettings, 'app.public-url'>): string | undefined {
  const url = settings['app.public-url'];
  return url === undefined ? undefined : new URL(url).origin;
}

/**
 * Whether an origin is the one that the request was sent to. Browsers omit a default port, but proxies might not. Only a trusted
 * proxy reports whether TLS ends in front of the service. Without one, http and https both match.
 */
function isRequested(origin: string, { host, protocol }: FastifyRequest): boolean {
  const [, scheme, authority] = (ORIGIN.exec(origin) ?? []) as [string?, ('http' | 'https')?, string?];
  if (scheme === undefined || (protocol === 'https' && scheme !== 'https')) return false;
  return authority === host.toLowerCase().replace(DEFAULT_PORT[scheme], '');
}

/** The most characters that the core accepts. Longer texts are not origins. */
const MAX_CHARACTERS = 300;

/** Returns the Origin header, truncated to MAX_CHARACTERS. */
export function browserOrigin({ headers }: FastifyRequest): string | undefined {
  return headers.origin?.slice(0, MAX_CHARACTERS);
}

/**
 * Creates a function that classifies the origin of the page that sent a request: the service's origin, a listed origin, or a
 * foreign origin. The service's origin is that of the public URL, or, if none is set, the origin that the request was sent to.
 */
export function originClassifier(
  settings: Pick<GatewaySettings, 'app.public-url' | 'app.http.cors.allowed-origins'>,
): (request: FastifyRequest) => RequestOrigin {
  const isListed = originMatcher(settings['app.http.cors.allowed-origins']);
  const own = publicOrigin(settings);
  return (request) => {
    const { origin } = request.headers;
    if (origin === undefined) return RequestOrigin.REQUEST_ORIGIN_UNSPECIFIED;
    if (own === undefined ? isRequested(origin, request) : origin === own) return RequestOrigin.REQUEST_ORIGIN_OWN;
    return isListed(origin) ? RequestOrigin.REQUEST_ORIGIN_LISTED : RequestOrigin.REQUEST_ORIGIN_FOREIGN;
  };
}

/** The most characters of a User-Agent header that the core accepts. */
const MAX_USER_AGENT = 512;

/** Returns the User-Agent header, truncated to MAX_USER_AGENT. */
export function userAgentOf({ headers }: FastifyRequest): string | undefined {
  return headers['user-agent']?.slice(0, MAX_USER_AGENT);
}
