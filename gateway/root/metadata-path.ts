// Where clients ask for authorization server metadata if the issuer has a path: before it (OpenID Connect Discovery section 4), or
// after the well-known path (RFC 8414 section 3.1). All of them are one route; its handler compares the path with the issuer's.
import { requestPath } from '../../src/problem/request-path.ts';

const WELL_KNOWN = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

interface MetadataTarget {
  /** The path of the route. */
  readonly route: string;
  /** Empty, or begins with a slash. */
  readonly issuerPath: string;
}

/** The request target without the issuer's path if it asks for metadata; else undefined. */
export function withoutIssuerPath(url: string): string | undefined {
  const target = metadataTarget(url);
  return target && target.route + url.slice(requestPath(url).length);
}

/** The issuer's path in the request target of metadata. */
export const issuerPathIn = (url: string): string | undefined => metadataTarget(url)?.issuerPath;

function metadataTarget(url: string): MetadataTarget | undefined {
  if (!url.startsWith('/')) return undefined;
  const path = requestPath(url);
  for (const route of WELL_KNOWN) {
    if (path.startsWith(`${route}/`)) return { route, issuerPath: path.slice(route.length) };
    if (path.endsWith(route)) return { route, issuerPath: path.slice(0, -route.length) };
  }
  return undefined;
}
