// Profile B at the gateway: its requests to the core, and the response to each reason.
import type { InjectOptions } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { RefreshTokenTransport, RequestOrigin } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { CATALOGUE } from '../../src/platform/problem/catalogue.ts';
import type { ReasonName } from '../../src/platform/errors.ts';
import { ACCOUNT, refused } from '../support/fake-core.ts';
import { sharedGateway, type GatewayUnderTest } from './gateway.ts';

const AUTH = '/api/v1/auth';
const LOGIN_RPC = 'authservice.session.v1.SessionService/Login';
const REFRESH_RPC = 'authservice.session.v1.SessionService/Refresh';
const LOGOUT_RPC = 'authservice.session.v1.SessionService/Logout';
const ME_RPC = 'authservice.identity.v1.IdentityService/GetMe';

const post = (path: string, payload?: unknown, headers: Record<string, string> = {}): InjectOptions => ({
  method: 'POST',
  url: AUTH + path,
  headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...headers },
  ...(payload !== undefined && { payload: JSON.stringify(payload) }),
});
const CALLS = {
  login: [LOGIN_RPC, post('/login', { username: ' U', password: ' p ' })],
  refresh: [REFRESH_RPC, post('/refresh', { refresh_token: 'r.r.r' })],
  me: [ME_RPC, { method: 'GET', url: `${AUTH}/me` }],
  logout: [LOGOUT_RPC, post('/logout')],
} as const satisfies Record<string, readonly [string, InjectOptions]>;

const REPLY = { accessToken: 'a.b.c', expiresIn: 900, refreshToken: 'd.e.f', account: ACCOUNT };

async function profileB(settings: Parameters<typeof sharedGateway>[0] = {}): Promise<GatewayUnderTest> {
  const under = await sharedGateway({ 'app.security.auth-profile': 'B', ...settings });
  under.core.respond(LOGIN_RPC, REPLY);
  under.core.respond(REFRESH_RPC, REPLY);
  under.core.respond(LOGOUT_RPC, { refreshCookieName: '' });
  return under;
}

let under: GatewayUnderTest;
beforeEach(async () => {
  under = await profileB();
});

describe('the request to the core', () => {
  const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;
  const headers = {
    cookie: 'SERVICE_REFRESH=c',
    'x-refresh-token': 'x',
    authorization: 'Bearer b',
    origin: 'https://evil.test',
  };

  it('login: sends the credentials unchanged, with rememberMe false', async () => {
    await under.app.inject(
      post('/login', { username: ' U', password: ' p ', rememberMe: true, refreshTokenTransport: 1 }, headers),
    );
    const { origin: browserOrigin } = headers;
    const userAgent = 'lightMyRequest';
    expect(under.core.calls.map(({ input }) => input)).toEqual([
      { username: ' U', password: ' p ', rememberMe: false, refreshTokenTransport, browserOrigin, userAgent },
    ]);
  });

  it('refresh: sends only the token in the body and the Origin, with any allowed origins', async () => {
    await under.app.inject(post('/refresh', { refresh_token: ' r ' }, headers));
    const origin = RequestOrigin.REQUEST_ORIGIN_UNSPECIFIED;
    expect(under.core.calls.map(({ input }) => input)).toEqual([
      { refreshTokens: [' r '], origin, refreshTokenTransport, browserOrigin: headers.origin },
    ]);
  });

  it('logout: sends the bearer token only', async () => {
    const response = await under.app.inject(post('/logout', { refresh_token: 'r' }, headers));
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(under.core.calls).toMatchObject([
      { input: { refreshTokens: [], refreshTokenTransport }, options: { authorization: ['Bearer b'] } },
    ]);
  });

  it('in Profile A: always requests the cookie transport', async () => {
    const other = await sharedGateway();
    await other.app.inject(CALLS.login[1]);
    await other.app.inject(post('/refresh', undefined, headers));
    await other.app.inject(post('/logout', undefined, headers));
    for (const { input } of other.core.calls)
      expect(input).toMatchObject({ refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE });
    expect(other.core.calls).toHaveLength(3);
  });
});

describe('an invalid response of the core', () => {
  it.each([
    ['login', { ...REPLY, refreshToken: undefined }],
    ['login', { ...REPLY, account: undefined }],
    ['login', { ...REPLY, account: { ...ACCOUNT, roles: [] } }],
    ['refresh', { ...REPLY, refreshToken: undefined }],
    ['me', { account: undefined }],
  ] as const)('returns 500: %s', async (name, reply) => {
    const [rpc, request] = CALLS[name];
    under.core.respond(rpc, reply);
    const response = await under.app.inject(request);
    expect(response.statusCode).toBe(500);
    expect(response.json()).toMatchObject({ error: 'INTERNAL_ERROR', message: 'Unexpected error' });
  });
});

const CODES: [reason: ReasonName, status: number, code: string, minimal?: [status: number, code: string]][] = [
  ['VALIDATION_ERROR', 400, 'AUTH_VALIDATION_ERROR'],
  ['BAD_CREDENTIALS', 401, 'AUTH_INVALID_CREDENTIALS'],
  ['ACCOUNT_NOT_FOUND', 401, 'AUTH_USER_NOT_FOUND', [401, 'AUTH_INVALID_CREDENTIALS']],
  ['LOGIN_POLICY_REJECTED', 401, 'AUTH_ACCOUNT_DISABLED', [401, 'AUTH_INVALID_CREDENTIALS']],
  ['ACCOUNT_DISABLED', 401, 'AUTH_ACCOUNT_DISABLED', [401, 'AUTH_INVALID_CREDENTIALS']],
  ['ACCOUNT_EXPIRED', 401, 'AUTH_ACCOUNT_DISABLED', [401, 'AUTH_INVALID_CREDENTIALS']],
  ['CREDENTIALS_EXPIRED', 401, 'AUTH_ACCOUNT_DISABLED', [401, 'AUTH_INVALID_CREDENTIALS']],
  ['ACCOUNT_LOCKED', 423, 'AUTH_ACCOUNT_LOCKED'],
  ['REFRESH_SESSION_INVALID', 401, 'AUTH_TOKEN_INVALID'],
  ['TOKEN_MISSING', 401, 'AUTH_TOKEN_MISSING'],
  ['TOKEN_INVALID', 401, 'AUTH_TOKEN_INVALID'],
  ['SUBJECT_UNKNOWN', 401, 'AUTH_TOKEN_INVALID'],
  ['TOO_MANY_REQUESTS', 429, 'TOO_MANY_REQUESTS'],
  ['AUTHENTICATION_SERVICE_UNAVAILABLE', 503, 'AUTH_SERVICE_UNAVAILABLE'],
  ['SERVICE_UNAVAILABLE', 503, 'AUTH_SERVICE_UNAVAILABLE'],
  ['DEADLINE_EXCEEDED', 503, 'AUTH_SERVICE_UNAVAILABLE'],
  ['CANCELLED', 503, 'AUTH_SERVICE_UNAVAILABLE'],
  ['INTERNAL_ERROR', 500, 'INTERNAL_ERROR'],
];
const CHALLENGED: readonly ReasonName[] = ['TOKEN_MISSING', 'TOKEN_INVALID', 'SUBJECT_UNKNOWN'];

describe.each(['maximal', 'minimal'] as const)('under %s disclosure', (mode) => {
  const table = CODES.flatMap(([reason, status, code, minimal = [status, code]]) =>
    Object.entries(CALLS).map(([name, [rpc, request]]) => {
      const [shownStatus, shownCode] = mode === 'minimal' ? minimal : [status, code];
      return { name, reason, status: shownStatus, code: shownCode, rpc, request };
    }),
  );

  it.each(table)('$name: $reason is $status $code', async ({ reason, status, code, rpc, request }) => {
    const own = await profileB({ 'app.api.error-disclosure.mode': mode });
    own.core.respond(rpc, refused(reason));
    const { statusCode, headers, ...response } = await own.app.inject(request);
    const body = response.json();
    expect(statusCode).toBe(status);
    expect(headers['content-type']).toBe('application/json');
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['www-authenticate']).toBe(CHALLENGED.includes(reason) ? 'Bearer' : undefined);
    expect('retry-after' in headers).toBe(status === 429 || status === 503);
    expect(body).toMatchObject({ error: code, path: request.url });
    const diagnostics = mode === 'maximal' ? ['exceptionMessage', 'exceptionType', 'stackTrace'] : [];
    expect(Object.keys(body).toSorted()).toEqual(['error', ...diagnostics, 'message', 'path', 'timestamp'].toSorted());
    expect(new Date(body.timestamp).toISOString()).toBe(body.timestamp);
    if (mode === 'minimal' || CATALOGUE[reason].fixedDetail) expect(body.message).not.toContain('because of');
    else expect(body.message).toBe(`because of ${reason}`);
  });
});

describe('GET /openapi.json', () => {
  it('describes the bodies, the codes and the error format of this profile', async () => {
    const { paths, components } = (await under.app.inject('/openapi.json')).json();
    const { responses } = paths[`${AUTH}/login`].post;
    expect(responses[200].content['application/json'].schema.$ref).toBe('#/components/schemas/LoginResponse');
    expect(Object.keys(components.schemas.LoginResponse.properties)).toEqual([
      'access_token',
      'token_type',
      'expires_in',
      'refresh_token',
      'user',
    ]);
    expect(responses[401].description).toBe(
      'AUTH_INVALID_CREDENTIALS, AUTH_USER_NOT_FOUND, AUTH_ACCOUNT_DISABLED, AUTH_PASSWORD_CHANGE_REQUIRED, AUTH_SECOND_FACTOR_REQUIRED, AUTH_SECOND_FACTOR_ENROLMENT_REQUIRED',
    );
    expect(responses[423].description).toBe('AUTH_ACCOUNT_LOCKED');
    expect(responses[401].content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/ProfileBError' } },
    });
    expect(components.schemas).toHaveProperty('ProfileBError');
    expect(components.securitySchemes).not.toHaveProperty('refreshCookie');
    expect(JSON.stringify(paths['/health/ready'])).toContain('application/problem+json');
  });
});
