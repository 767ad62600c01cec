// Profile A: the refresh credential travels in a cookie.
import type { FastifyRequest } from 'fastify';
import type { Gateway } from '../../context.ts';
import type { SessionEndpoints } from '../session-endpoints.ts';
import { legacyCredentials } from './legacy-credentials.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { me } from './me.ts';
import { refreshCookies } from './refresh-cookie.ts';
import { refresh } from './refresh.ts';

export function cookieProfile(gateway: Pick<Gateway, 'settings' | 'log'>): SessionEndpoints {
  const { settings } = gateway;
  const cookies = refreshCookies(gateway);
  const withFallbacks = settings['app.security.refresh-session.legacy-fallbacks'];
  const credentialsOf = (request: FastifyRequest): string[] => {
    const values = cookies.read(request);
    return withFallbacks && values.length === 0 ? legacyCredentials(request) : values;
  };
  return {
    login: login(cookies),
    refresh: refresh(cookies, credentialsOf, settings['app.http.cors.allowed-origins']),
    me: me(),
    logout: logout(cookies),
  };
}
