// Paths, RPCs and requests of authentication, for the tests of the gateway.
import type { InjectOptions } from 'fastify';

export const LOGIN = '/api/v1/auth/login';
export const REFRESH = '/api/v1/auth/refresh';
export const ME = '/api/v1/auth/me';
export const LOGOUT = '/api/v1/auth/logout';

export const LOGIN_RPC = 'authservice.session.v1.SessionService/Login';
export const REFRESH_RPC = 'authservice.session.v1.SessionService/Refresh';
export const ME_RPC = 'authservice.identity.v1.IdentityService/GetMe';
export const LOGOUT_RPC = 'authservice.session.v1.SessionService/Logout';

export const login = (payload: unknown): InjectOptions => ({
  method: 'POST',
  url: LOGIN,
  headers: { 'content-type': 'application/json' },
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
});
export const credentials = { username: ' Alice@acme.test', password: ' p ' };
