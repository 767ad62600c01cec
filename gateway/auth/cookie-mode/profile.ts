// Profile A, cookie mode: the refresh token is in a cookie.
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
    if (!withFallbacks || values.length > 0) return values;
    return legacyCredentials(request);
  };
  return {
    login: login(cookies),
    refresh: refresh(cookies, credentialsOf),
    me: me(),
    logout: logout(cookies),
  };
}
