// The well-known documents: metadata of the authorization server, and its public keys.
import { Type } from '../type.ts';
import { authPath } from '../api-path.ts';
import type { GatewaySettings } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { callOptions } from '../http/call-options.ts';
import { publicOrigin } from '../http/origins.ts';
import { AuthorizationServerMetadata, metadataOf } from './metadata.ts';
import { isMetadataOf, issuerBase, requestBase } from './public-urls.ts';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import { createStaticBody, keepLatestBody, sendStaticBody } from '../http/static-body.ts';

/** Endpoint: returns the authorization server metadata (RFC 8414). */
export function authorizationServerMetadata(settings: GatewaySettings): Endpoint {
  const auth = authPath(settings);
  const contextPath = settings['app.http.context-path'];
  const ownOrigin = publicOrigin(settings);
  const isProvider = settings['app.oauth.enabled'];

  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: {
        ...(route.url.endsWith('openid-configuration')
          ? {
              operationId: 'getAuthorizationServerMetadataOfOpenid',
              summary: 'Get authorization server metadata, at the path of OpenID Connect',
            }
          : { summary: 'Get authorization server metadata' }),
        description:
          'Names the endpoints for applications and machine clients, and for services that verify access tokens (RFC 8414, OpenID ' +
          'Connect Discovery).',
        tags: ['Keys'],
        response: { 200: AuthorizationServerMetadata },
      },
      handler: async (request, reply) => {
        const provider = await session.getAuthorizationServerMetadata({}, callOptions(request));
        const { issuer } = provider;
        if (!isMetadataOf(issuer, contextPath, metadataTarget(request.originalUrl)?.issuerPath ?? '')) {
          throw new GatewayError('NOT_FOUND', 'The path does not match the path of the issuer');
        }
        const base = issuerBase(issuer, contextPath) ?? ownOrigin ?? requestBase(request);
        // A cache must not give one client's Host header to another.
        reply.header('cache-control', ownOrigin === undefined ? 'no-store' : 'max-age=300');
        return metadataOf(provider, { base, auth: base + auth, isProvider });
      },
    });
}

// If the issuer has a path, clients put it before the well-known path (OpenID Connect Discovery section 4) or after it (RFC 8414
// section 3.1). Both are routed to the same handler, which compares it with the path of the issuer.
const WELL_KNOWN = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/** The public documents, which pages of all origins can read. */
export const PUBLIC_DOCUMENTS: readonly string[] = [...WELL_KNOWN, '/.well-known/jwks.json'];

/** Returns the request target of metadata without the issuer's path. Undefined for other targets. */
export function withoutIssuerPath(url: string): string | undefined {
  const target = metadataTarget(url);
  return target && target.route + url.slice(requestPath(url).length);
}

/** Returns the path of the route of a metadata target, and the issuer's path in it: empty, or with a slash at its begin. */
function metadataTarget(url: string): { readonly route: string; readonly issuerPath: string } | undefined {
  // Most targets need no further check.
  if (!url.startsWith('/') || !url.includes('/.well-known/')) return undefined;
  const path = requestPath(url);
  for (const route of WELL_KNOWN) {
    if (path.startsWith(`${route}/`)) return { route, issuerPath: path.slice(route.length) };
    if (path.endsWith(route)) return { route, issuerPath: path.slice(0, -route.length) };
  }
  return undefined;
}

const JsonWebKeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        { kty: Type.String(), kid: Type.Optional(Type.String()) },
        { title: 'JsonWebKey', additionalProperties: true },
      ),
    ),
  },
  { title: 'JsonWebKeySet', description: 'The keys that verify access tokens and ID tokens (RFC 7517 section 5).' },
);

/** Endpoint: returns the public keys that verify access tokens and ID tokens (RFC 7517 section 5). */
export function jsonWebKeySet(): Endpoint {
  const bodyOf = keepLatestBody((json) =>
    createStaticBody(json, 'application/json; charset=utf-8', { 'cache-control': 'public, max-age=300' }),
  );
  return (app, { key }, route) =>
    app.route({
      ...route,
      schema: { summary: 'Get the public keys', tags: ['Keys'], response: { 200: JsonWebKeySet } },
      handler: async (request, reply) => {
        const { json } = await key.getJsonWebKeySet({}, callOptions(request));
        return sendStaticBody(request, reply, await bodyOf(json));
      },
    });
}
