// Profile A: the refresh token is in a cookie.
import type { FastifyRequest } from 'fastify';
import type { Gateway } from '../../context.ts';
import type { SessionEndpoints } from '../session-endpoints.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { me } from './me.ts';
import { refreshCookies } from './refresh-cookie.ts';
import { refresh } from './refresh.ts';
import { rawValues } from '../../http/call-options.ts';

export function profileA(gateway: Pick<Gateway, 'settings' | 'log'>): SessionEndpoints {
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

const BEARER = /^bearer +(.*)$/is;

/**
 * Returns the refresh token of the X-Refresh-Token header, as received. If there is none, returns that of the
 * `Authorization: Bearer` header. Clients that add their access token to every request send both headers. An empty
 * X-Refresh-Token counts as absent. Repeated headers are one list (RFC 9110 section 5.3), which is not a token.
 */
function legacyCredentials({ raw: { rawHeaders } }: FastifyRequest): string[] {
  const named = rawValues(rawHeaders, 'x-refresh-token').filter((value) => value !== '');
  if (named.length > 0) return [named.join(', ')];
  const bearers = rawValues(rawHeaders, 'authorization').flatMap((header) => BEARER.exec(header)?.[1] ?? []);
  return bearers.length > 0 ? [bearers.join(', ')] : [];
}
