// Paths of the authorization server metadata if the issuer has a path. Clients put the issuer's path before the well-known path
// (OpenID Connect Discovery section 4) or after it (RFC 8414 section 3.1). Both are routed to the same handler, which compares the
// path with that of the issuer.
import { requestPath } from '../../src/platform/problem/request-path.ts';

const WELL_KNOWN = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

interface MetadataTarget {
  /** The path of the route. */
  readonly route: string;
  /** Empty, or begins with a slash. */
  readonly issuerPath: string;
}

/** Returns the request target of metadata without the issuer's path. Undefined for other targets. */
export function withoutIssuerPath(url: string): string | undefined {
  const target = metadataTarget(url);
  return target && target.route + url.slice(requestPath(url).length);
}

/** Returns the issuer's path in the request target of metadata, `''` if it has none. Undefined for other targets. */
export const issuerPathIn = (url: string): string | undefined => metadataTarget(url)?.issuerPath;

function metadataTarget(url: string): MetadataTarget | undefined {
  // Most targets need no further check.
  if (!url.startsWith('/') || !url.includes('/.well-known/')) return undefined;
  const path = requestPath(url);
  for (const route of WELL_KNOWN) {
    if (path.startsWith(`${route}/`)) return { route, issuerPath: path.slice(route.length) };
    if (path.endsWith(route)) return { route, issuerPath: path.slice(0, -route.length) };
  }
  return undefined;
}
