// Profile A: the refresh token is in a cookie.
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  RefreshTokenTransport,
  type LoginResponse as LoginResult,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Account } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { requireField } from '../../clients.ts';
import type { Gateway } from '../../context.ts';
import { errorsOf } from '../../contract/contracts.ts';
import type { Endpoint } from '../../endpoint.ts';
import { neverStored, noStore } from '../../http/caching.ts';
import { callOptions, rawValues } from '../../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../../http/json-body.ts';
import { noBody, Type } from '../../type.ts';
import { ACCOUNT_MEMBERS, declared, methodOf } from '../declared.ts';
import { userAgentOf } from '../../http/origins.ts';
import { LOGIN, loginEndpoints } from '../login.ts';
import { me, type LoginStyle, type SessionEndpoints } from '../session-endpoints.ts';
import { type RefreshCookies, refreshCookies, SET_COOKIE } from './refresh-cookie.ts';

/** Returns the endpoints of Profile A. */
export function profileA(gateway: Pick<Gateway, 'settings' | 'log'>): SessionEndpoints {
  const cookies = refreshCookies(gateway);
  const withFallbacks = gateway.settings['app.security.refresh-session.legacy-fallbacks'];
  const refreshTokensOf = (request: FastifyRequest): string[] => {
    const values = cookies.read(request);
    return withFallbacks && values.length === 0 ? legacyCredentials(request) : values;
  };
  return {
    ...loginEndpoints(loginStyle(cookies)),
    refresh: refresh(cookies, refreshTokensOf),
    me: me({ members: ACCOUNT_MEMBERS, membersOf: userOf, onRequest: neverStored }),
    logout: logout(cookies),
  };
}

const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;

function userOf({ id, username, name, email, tenantId, roles }: Account) {
  return { id, username, name, email, tenantId, roles };
}

const { id, username } = ACCOUNT_MEMBERS;

const LOGIN_MEMBERS = {
  accessToken: Type.String(declared(LOGIN.output, 'access_token')),
  user: Type.Object({ id, username }, { title: 'SessionUser' }),
};

/** The response of a login: it sets the refresh cookie. */
function loginStyle(cookies: RefreshCookies) {
  return {
    newPassword: 'newPassword',
    recoveryCode: 'recoveryCode',
    recoveryCodes: 'recoveryCodes',
    accessCode: 'accessCode',
    rememberMe: 'rememberMe',
    remembersPasswordLogin: true,
    members: LOGIN_MEMBERS,
    headers: SET_COOKIE,
    respond({ accessToken, account, refreshCookie }: LoginResult, request: FastifyRequest, reply: FastifyReply) {
      const user = requireField(account, 'account');
      cookies.write(request, reply, requireField(refreshCookie, 'refresh cookie'));
      return { accessToken, user: { id: user.id, username: user.username } };
    },
    originOf: (request: FastifyRequest) => ({
      refreshTokenTransport,
      refreshTokens: { values: cookies.read(request) },
      ...cookies.originOf(request),
      userAgent: userAgentOf(request),
    }),
  } satisfies LoginStyle;
}

const { output: REFRESHED } = methodOf('SessionService', 'Refresh');

const RefreshResponse = Type.Object(
  {
    accessToken: Type.String(declared(REFRESHED, 'access_token')),
    expiresIn: Type.Integer(declared(REFRESHED, 'expires_in')),
  },
  {
    title: 'RefreshResponse',
    description: 'The session continues. Set-Cookie carries the next refresh token.',
    headers: SET_COOKIE,
  },
);

/**
 * Endpoint: exchanges the refresh cookie for a new access token and the next cookie.
 *
 * @param refreshTokensOf Returns the refresh tokens of a request, at most 1,000. The core decides if there are several.
 */
function refresh(cookies: RefreshCookies, refreshTokensOf: (request: FastifyRequest) => string[]): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: {
        summary: 'Refresh the session',
        tags: ['Session'],
        security: [{ refreshCookie: [] }],
        response: { 200: RefreshResponse },
      },
      onRequest: [noStore, ignoreTypeOfEmptyBody],
      handler: async (request, reply) => {
        const { accessToken, expiresIn, refreshCookie } = await session.refresh(
          { refreshTokens: refreshTokensOf(request), ...cookies.originOf(request), refreshTokenTransport },
          callOptions(request),
        );
        cookies.write(request, reply, requireField(refreshCookie, 'refresh cookie'));
        return { accessToken, expiresIn };
      },
    });
}

const LoggedOut = noBody('The session has ended. The body is empty; Set-Cookie clears the refresh cookie.', SET_COOKIE);

/** Endpoint: ends the session of the bearer token, of the refresh cookie, or of both. Succeeds without either. */
function logout(cookies: RefreshCookies): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      config: {
        ...route.config,
        // Without a token, the call succeeds.
        failures: errorsOf(route.config.rpc!, ['TOKEN_MISSING', 'VALIDATION_ERROR']),
      },
      schema: {
        summary: 'Log out',
        tags: ['Session'],
        security: [{}, { bearer: [] }, { refreshCookie: [] }],
        response: { 200: LoggedOut },
      },
      onRequest: [noStore, ignoreTypeOfEmptyBody],
      handler: async (request, reply) => {
        const { refreshCookieName } = await session.logout(
          { refreshTokens: cookies.read(request), refreshTokenTransport, ...cookies.originOf(request) },
          callOptions(request),
        );
        cookies.clear(reply, refreshCookieName);
        return reply.send();
      },
    });
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
