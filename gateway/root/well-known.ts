// The well-known documents: metadata of the authorization server, and its public keys.
import { Type } from '../type.ts';
import { authPath } from '../api-path.ts';
import type { GatewaySettings } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { callOptions } from '../http/call-options.ts';
import { publicOrigin } from '../http/origins.ts';
import { isMetadataOf, issuerBase, requestBase } from './public-urls.ts';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import { createStaticBody, keepLatestBody, sendStaticBody } from '../http/static-body.ts';

const Texts = (example: string, description: string) =>
  Type.Array(Type.String({ examples: [example] }), { description });
const AuthMethods = (description: string) => Texts('client_secret_basic', description);
const Url = (path: string, description: string) =>
  Type.String({ description, examples: [`https://auth.example.com${path}`] });

const AuthorizationServerMetadata = Type.Object(
  {
    issuer: Url('', 'Claim `iss` of access tokens, the setting `app.security.jwt.issuer`.'),
    jwks_uri: Url('/.well-known/jwks.json', 'The keys that verify access tokens.'),
    token_endpoint: Url('/api/v1/auth/token', 'Issues access tokens to machine clients.'),
    token_endpoint_auth_methods_supported: AuthMethods('How clients authenticate there.'),
    introspection_endpoint: Url('/api/v1/auth/introspect', 'Token introspection (RFC 7662).'),
    introspection_endpoint_auth_methods_supported: AuthMethods('How clients authenticate there.'),
    revocation_endpoint: Url('/api/v1/auth/revoke', 'Token revocation (RFC 7009).'),
    revocation_endpoint_auth_methods_supported: AuthMethods(
      'How clients authenticate there; `none` for tokens of users.',
    ),
    grant_types_supported: Texts('client_credentials', 'Grants of the token endpoint.'),
    response_types_supported: Texts(
      'none',
      '`none`: there is no authorization endpoint. Users log in by POST /auth/login.',
    ),
    subject_types_supported: Texts('public', '`public`: every client sees the same `sub` for an account.'),
    id_token_signing_alg_values_supported: Texts(
      'ES256',
      'Algorithms of the published keys, and `RS256`, which OpenID requires. No ID tokens are issued.',
    ),
    access_token_signing_alg_values_supported: Texts(
      'ES256',
      'Algorithms of the published keys. Not registered by RFC 8414.',
    ),
  },
  {
    title: 'AuthorizationServerMetadata',
    description: 'Authorization server metadata (RFC 8414 section 2). No OpenID Connect: there are no ID tokens.',
  },
);

const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post'];

/**
 * Members that readers of OpenID metadata require (OpenID Connect Discovery section 3). go-oidc accepts access tokens signed with
 * the listed algorithms. Authlib refuses a list without RS256, which that section requires.
 */
const openIdMembers = (signingAlgorithms: readonly string[]) => ({
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...new Set([...signingAlgorithms, 'RS256'])],
});

/** Endpoint: returns the authorization server metadata (RFC 8414). */
export function authorizationServerMetadata(settings: GatewaySettings): Endpoint {
  const auth = authPath(settings);
  const contextPath = settings['app.http.context-path'];
  const ownOrigin = publicOrigin(settings);

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
        description: 'Names the endpoints for machine clients and for services that verify access tokens (RFC 8414).',
        tags: ['Keys'],
        response: { 200: AuthorizationServerMetadata },
      },
      handler: async (request, reply) => {
        const { issuer, signingAlgorithms } = await session.getAuthorizationServerMetadata({}, callOptions(request));
        if (!isMetadataOf(issuer, contextPath, metadataTarget(request.originalUrl)?.issuerPath ?? '')) {
          throw new GatewayError('NOT_FOUND', 'The path does not match the path of the issuer');
        }
        const base = issuerBase(issuer, contextPath) ?? ownOrigin ?? requestBase(request);
        // A cache must not give one client's Host header to another.
        reply.header('cache-control', ownOrigin === undefined ? 'no-store' : 'max-age=300');
        return {
          issuer,
          jwks_uri: `${base}/.well-known/jwks.json`,
          token_endpoint: `${base}${auth}/token`,
          token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
          introspection_endpoint: `${base}${auth}/introspect`,
          introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
          revocation_endpoint: `${base}${auth}/revoke`,
          revocation_endpoint_auth_methods_supported: [...CLIENT_AUTHENTICATION, 'none'],
          grant_types_supported: ['client_credentials'],
          response_types_supported: ['none'],
          ...openIdMembers(signingAlgorithms),
          access_token_signing_alg_values_supported: signingAlgorithms,
        };
      },
    });
}

// If the issuer has a path, clients put it before the well-known path (OpenID Connect Discovery section 4) or after it (RFC 8414
// section 3.1). Both are routed to the same handler, which compares it with the path of the issuer.
const WELL_KNOWN = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

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
  { title: 'JsonWebKeySet', description: 'The keys that verify access tokens (RFC 7517 section 5).' },
);

/** Endpoint: returns the public keys that verify access tokens (RFC 7517 section 5). */
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
