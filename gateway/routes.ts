// Every route on one page: method, path, and the one RPC it becomes.
import type { Endpoint } from './endpoint.ts';
import { apiPath } from './api-path.ts';
import { issueApiKey } from './api-keys/issue-api-key.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { authPath } from './auth/auth-path.ts';
import { cookieProfile } from './auth/cookie-profile/profile.ts';
import { token } from './auth/m2m/token.ts';
import { tokenErrorDialect, unreadTokenError } from './auth/m2m/token-error.ts';
import { tokenProfileDialect, tokenProfileError } from './auth/token-profile/error.ts';
import { tokenProfilePaths } from './auth/token-profile/paths.ts';
import { tokenProfile } from './auth/token-profile/profile.ts';
import type { Gateway, GatewaySettings, TypedApp } from './context.ts';
import type { ErrorDialects, ErrorForms } from './errors/dialects.ts';
import { problem } from './errors/problem.ts';
import { live, ready } from './root/health.ts';
import { jsonWebKeySet } from './root/json-web-key-set.ts';

type Line = readonly [method: 'GET' | 'POST' | 'DELETE', url: string, rpc: string | undefined, endpoint: Endpoint];

const PROFILES = { A: cookieProfile, B: tokenProfile };

function routes(gateway: Gateway): Line[] {
  const auth = authPath(gateway.settings);
  const keys = `${apiPath(gateway.settings)}/service-accounts/:id/api-keys`;
  const { login, refresh, me, logout } = PROFILES[gateway.settings['app.security.auth-profile']](gateway);
  return [
    ['POST', `${auth}/login`, 'session.v1.SessionService/Login', login],
    ['POST', `${auth}/refresh`, 'session.v1.SessionService/Refresh', refresh],
    ['GET', `${auth}/me`, 'identity.v1.IdentityService/GetMe', me],
    ['POST', `${auth}/logout`, 'session.v1.SessionService/Logout', logout],
    ['POST', `${auth}/token`, 'client_credentials.v1.ClientCredentialsService/IssueToken', token()],
    ['POST', keys, 'api_key.v1.ApiKeyService/IssueApiKey', issueApiKey()],
    ['GET', keys, 'api_key.v1.ApiKeyService/ListApiKeys', listApiKeys()],
    ['DELETE', `${keys}/:keyId`, 'api_key.v1.ApiKeyService/RevokeApiKey', revokeApiKey()],
    ['GET', '/.well-known/jwks.json', 'session.v1.SessionService/GetJsonWebKeySet', jsonWebKeySet()],
    ['GET', '/health/live', undefined, live()],
    ['GET', '/health/ready', 'grpc.health.v1.Health/Check', ready()],
  ];
}

/** The paths whose errors are no problem documents. */
export function errorDialects(settings: GatewaySettings): ErrorDialects {
  const tokenPath = `${authPath(settings)}/token`;
  const tokenErrors = tokenErrorDialect(settings['app.name']);
  const speaksTokenProfile = tokenProfilePaths(settings);
  return (path) => {
    if (path === tokenPath) return tokenErrors;
    return speaksTokenProfile(path) ? tokenProfileDialect : undefined;
  };
}

/** The same for what is no request. */
export function errorForms(settings: GatewaySettings): ErrorForms {
  const tokenPath = `${authPath(settings)}/token`;
  const speaksTokenProfile = tokenProfilePaths(settings);
  return (path) => {
    if (path === undefined) return problem;
    if (path === tokenPath) return unreadTokenError;
    return speaksTokenProfile(path) ? tokenProfileError : problem;
  };
}

/** Registers every route. */
export function registerRoutes(app: TypedApp, gateway: Gateway): void {
  for (const [method, url, rpc, endpoint] of routes(gateway)) {
    endpoint(app, gateway.clients, { method, url, config: { rpc } });
  }
}
