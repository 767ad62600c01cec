// Every route on one page: method, path, and the one RPC it becomes.
import type { Endpoint } from './endpoint.ts';
import { login } from './auth/cookie-profile/login.ts';
import { logout } from './auth/cookie-profile/logout.ts';
import { me } from './auth/cookie-profile/me.ts';
import { authPath, refreshCookies } from './auth/cookie-profile/refresh-cookie.ts';
import { refresh } from './auth/cookie-profile/refresh.ts';
import type { Gateway, TypedApp } from './context.ts';
import { live, ready } from './root/health.ts';
import { jsonWebKeySet } from './root/json-web-key-set.ts';

type Line = readonly [method: 'GET' | 'POST', url: string, rpc: string | undefined, endpoint: Endpoint];

function routes(gateway: Gateway): Line[] {
  const auth = authPath(gateway.settings);
  const origins = gateway.settings['app.http.cors.allowed-origins'];
  const cookies = refreshCookies(gateway);
  return [
    ['POST', `${auth}/login`, 'session.v1.SessionService/Login', login(cookies)],
    ['POST', `${auth}/refresh`, 'session.v1.SessionService/Refresh', refresh(cookies, origins)],
    ['GET', `${auth}/me`, 'identity.v1.IdentityService/GetMe', me()],
    ['POST', `${auth}/logout`, 'session.v1.SessionService/Logout', logout(cookies)],
    ['GET', '/.well-known/jwks.json', 'session.v1.SessionService/GetJsonWebKeySet', jsonWebKeySet()],
    ['GET', '/health/live', undefined, live()],
    ['GET', '/health/ready', 'grpc.health.v1.Health/Check', ready()],
  ];
}

/** Registers every route. */
export function registerRoutes(app: TypedApp, gateway: Gateway): void {
  for (const [method, url, rpc, endpoint] of routes(gateway)) {
    endpoint(app, gateway.clients, { method, url, config: { rpc } });
  }
}
