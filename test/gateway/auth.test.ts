import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { RefreshTokenTransport, RequestOrigin } from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { ReasonName } from '../../src/errors.ts';
import { ACCOUNT, COOKIE, refused } from '../support/fake-core.ts';
import { gateway, sharedGateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';

const LOGIN = '/api/v1/auth/login';
const REFRESH = '/api/v1/auth/refresh';
const ME = '/api/v1/auth/me';
const LOGOUT = '/api/v1/auth/logout';

const LOGIN_RPC = 'authservice.session.v1.SessionService/Login';
const REFRESH_RPC = 'authservice.session.v1.SessionService/Refresh';
const ME_RPC = 'authservice.identity.v1.IdentityService/GetMe';
const LOGOUT_RPC = 'authservice.session.v1.SessionService/Logout';

const login = (payload: unknown): InjectOptions => ({
  method: 'POST',
  url: LOGIN,
  headers: { 'content-type': 'application/json' },
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
});
const credentials = { username: ' Alice@acme.test', password: ' p ' };

let under: GatewayUnderTest;
const call = (request: InjectOptions): Promise<LightMyRequestResponse> => under.app.inject(request);

beforeEach(async () => {
  under = await sharedGateway();
});

describe('POST /api/v1/auth/login', () => {
  it('returns 200 with the token and the user, and sets the cookie', async () => {
    const answer = await call(login({ ...credentials, rememberMe: true }));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ accessToken: 'a.b.c', user: { id: ACCOUNT.id, username: ACCOUNT.username } });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(answer.headers['set-cookie']).toBe(
      'SERVICE_REFRESH=selector.1.verifier.tag; Max-Age=2592000; Path=/api/v1/auth; HttpOnly; SameSite=Lax',
    );
  });

  it('sends the credentials unchanged to the core, rememberMe false by default, and no unknown members', async () => {
    await call(login({ ...credentials, tenantId: 'other', extra: [] }));
    const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;
    expect(under.core.calls).toMatchObject([
      { rpc: LOGIN_RPC, input: { ...credentials, rememberMe: false, refreshTokenTransport } },
    ]);
    expect(under.core.calls[0]?.input).not.toHaveProperty('tenantId');
  });

  it('returns 200 and sets a cookie without Max-Age if the core sends no lifetime', async () => {
    under.core.answer(LOGIN_RPC, {
      accessToken: 'a',
      expiresIn: 1,
      account: ACCOUNT,
      refreshCookie: { ...COOKIE, maxAge: undefined },
    });
    const { headers } = await call(login(credentials));
    expect(headers['set-cookie']).toBe(
      'SERVICE_REFRESH=selector.1.verifier.tag; Path=/api/v1/auth; HttpOnly; SameSite=Lax',
    );
  });

  it.each([
    ['no username', { password: 'p' }, ['username']],
    ['no password', { username: 'u' }, ['password']],
    ['neither', {}, ['username', 'password']],
    ['a number', { username: 1, password: 'p' }, ['username']],
    ['null', { username: 'u', password: null }, ['password']],
    ['an array', { username: ['u'], password: 'p' }, ['username']],
    ['an object', { username: 'u', password: { $ne: '' } }, ['password']],
    ['a bad rememberMe as well', { username: 'u', rememberMe: 'yes' }, ['password', 'rememberMe']],
  ])('returns 400 Missing login credentials to %s', async (_what, body, fields) => {
    const answer = await call(login(body));
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      errorCode: 'validation-error',
      detail: 'Missing login credentials',
      instance: LOGIN,
    });
    expect(answer.json().violations.flatMap((violation: { props: string[] }) => violation.props)).toEqual(fields);
    expect(under.core.calls).toEqual([]);
  });

  it.each(['[]', 'null', '"text"', '1', 'true', ''])(
    'returns 400 Missing login credentials to the body %j',
    async (body) => {
      const answer = await call(login(body));
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ errorCode: 'validation-error', detail: 'Missing login credentials' });
    },
  );

  it('returns 400 Missing login credentials without a body and its type', async () => {
    const answer = await call({ method: 'POST', url: LOGIN });
    expect(answer.json()).toMatchObject({ status: 400, detail: 'Missing login credentials' });
  });

  it.each(['true', 1, null, {}])('returns 400 with a violation for rememberMe %j', async (rememberMe) => {
    const answer = await call(login({ ...credentials, rememberMe }));
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      errorCode: 'validation-error',
      violations: [{ props: ['rememberMe'], format: 'type', params: { type: 'boolean' } }],
    });
    expect(answer.json().detail).not.toBe('Missing login credentials');
  });

  it.each<[ReasonName, number, string]>([
    ['VALIDATION_ERROR', 400, 'validation-error'],
    ['BAD_CREDENTIALS', 401, 'bad-credentials'],
    ['ACCOUNT_NOT_FOUND', 401, 'account-not-found'],
    ['LOGIN_POLICY_REJECTED', 401, 'login-policy-rejected'],
    ['ACCOUNT_LOCKED', 423, 'account-locked'],
    ['ACCOUNT_DISABLED', 401, 'account-disabled'],
    ['ACCOUNT_EXPIRED', 401, 'account-expired'],
    ['CREDENTIALS_EXPIRED', 401, 'credentials-expired'],
    ['TOO_MANY_REQUESTS', 429, 'too-many-requests'],
    ['AUTHENTICATION_SERVICE_UNAVAILABLE', 503, 'authentication-service-unavailable'],
    ['SERVICE_UNAVAILABLE', 503, 'authentication-service-unavailable'],
    ['DEADLINE_EXCEEDED', 503, 'authentication-service-unavailable'],
    ['INTERNAL_ERROR', 500, 'internal-error'],
  ])('maps %s to %i %s, without a cookie and without a challenge', async (reason, status, errorCode) => {
    under.core.answer(LOGIN_RPC, refused(reason));
    const answer = await call(login(credentials));
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({
      status,
      errorCode,
      detail: `because of ${reason}`,
      exceptionType: 'ServiceError',
    });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });
});

describe('POST /api/v1/auth/login under minimal disclosure', () => {
  it('returns the same bytes for every rejected login', async () => {
    under = await sharedGateway({ 'app.api.error-disclosure.mode': 'minimal' });
    const reasons: ReasonName[] = [
      'BAD_CREDENTIALS',
      'ACCOUNT_NOT_FOUND',
      'LOGIN_POLICY_REJECTED',
      'ACCOUNT_LOCKED',
      'ACCOUNT_DISABLED',
      'ACCOUNT_EXPIRED',
      'CREDENTIALS_EXPIRED',
    ];
    const answers = new Set<string>();
    for (const reason of reasons) {
      under.core.answer(LOGIN_RPC, refused(reason, { retryAfterMs: 900_000 }));
      const { statusCode, body, headers } = await call(login(credentials));
      const { date: _date, 'x-request-id': _id, ...rest } = headers;
      answers.add(JSON.stringify([statusCode, body, rest]));
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain('bad-credentials');
  });
});

describe('POST /api/v1/auth/refresh', () => {
  const refresh = (headers: Record<string, string> = {}): InjectOptions => ({ method: 'POST', url: REFRESH, headers });

  it('returns 200 with the token and its lifetime, and sets the next cookie', async () => {
    const answer = await call(refresh({ cookie: 'a=b; SERVICE_REFRESH=old' }));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ accessToken: 'd.e.f', expiresIn: 900 });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(answer.headers['set-cookie']).toMatch(/^SERVICE_REFRESH=selector\.1\.verifier\.tag; Max-Age=2592000;/);
    expect(under.core.calls).toMatchObject([{ rpc: REFRESH_RPC, input: { refreshTokens: ['old'] } }]);
  });

  it('sends all cookies of the name to the core, and none if the cookie is absent', async () => {
    await call(refresh({ cookie: 'SERVICE_REFRESH=a; SERVICE_REFRESH=b' }));
    await call(refresh());
    expect(under.core.calls).toMatchObject([
      { input: { refreshTokens: ['a', 'b'] } },
      { input: { refreshTokens: [] } },
    ]);
  });

  it.each([
    [undefined, RequestOrigin.REQUEST_ORIGIN_UNSPECIFIED],
    ['http://service.test:8080', RequestOrigin.REQUEST_ORIGIN_OWN],
    ['https://service.test:8080', RequestOrigin.REQUEST_ORIGIN_OWN],
    ['https://shop.test', RequestOrigin.REQUEST_ORIGIN_LISTED],
    ['https://evil.test', RequestOrigin.REQUEST_ORIGIN_FOREIGN],
    ['service.test:8080', RequestOrigin.REQUEST_ORIGIN_FOREIGN],
    ['http://service.test', RequestOrigin.REQUEST_ORIGIN_FOREIGN],
    ['null', RequestOrigin.REQUEST_ORIGIN_FOREIGN],
    ['', RequestOrigin.REQUEST_ORIGIN_FOREIGN],
  ])('sends the origin %j to the core as %i', async (origin, expected) => {
    await call(refresh({ host: 'Service.test:8080', ...(origin !== undefined && { origin }) }));
    expect(under.core.calls[0]?.input).toMatchObject({ origin: expected });
  });

  it('trusts X-Forwarded-Host of a trusted proxy only', async () => {
    const headers = { host: 'inner', 'x-forwarded-host': 'outer.test', origin: 'https://outer.test' };
    await call(refresh(headers));
    const trusting = await sharedGateway({ 'app.http.trusted-proxies': ['127.0.0.1'] });
    await trusting.app.inject(refresh(headers));
    expect(under.core.calls[0]?.input).toMatchObject({ origin: RequestOrigin.REQUEST_ORIGIN_FOREIGN });
    expect(trusting.core.calls[0]?.input).toMatchObject({ origin: RequestOrigin.REQUEST_ORIGIN_OWN });
  });

  it.each([
    {},
    { 'content-type': 'application/json' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ])('needs no body, with any media type: %j', async (headers) => {
    expect((await call(refresh(headers))).statusCode).toBe(200);
  });

  it('ignores a JSON body', async () => {
    const answer = await call({ ...refresh({ 'content-type': 'application/json' }), payload: '{"refresh_token":"x"}' });
    expect(answer.statusCode).toBe(200);
  });

  it.each<[ReasonName, number, string]>([
    ['REFRESH_SESSION_INVALID', 401, 'refresh-session-invalid'],
    ['AUTHENTICATION_SERVICE_UNAVAILABLE', 503, 'authentication-service-unavailable'],
    ['SERVICE_UNAVAILABLE', 503, 'authentication-service-unavailable'],
    ['DEADLINE_EXCEEDED', 503, 'authentication-service-unavailable'],
    ['INTERNAL_ERROR', 500, 'internal-error'],
  ])('maps %s to %i %s, and does not change the cookie', async (reason, status, errorCode) => {
    under.core.answer(REFRESH_RPC, refused(reason));
    const answer = await call(refresh({ cookie: 'SERVICE_REFRESH=a' }));
    expect(answer.json()).toMatchObject({ status, errorCode, instance: REFRESH });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.headers).not.toHaveProperty('www-authenticate');
    expect('retry-after' in answer.headers).toBe(status === 503);
  });
});

describe('GET /api/v1/auth/me', () => {
  const me = (headers: Record<string, string | string[]> = { authorization: 'Bearer t' }): InjectOptions => ({
    method: 'GET',
    url: ME,
    headers,
  });

  it('returns 200 with the account', async () => {
    const answer = await call(me());
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ ...ACCOUNT, createdAt: '2026-01-02T03:04:05.678Z' });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('returns 200 without tenantId and email if the account has none', async () => {
    under.core.answer(ME_RPC, { account: { ...ACCOUNT, email: undefined, tenantId: undefined } });
    expect(Object.keys((await call(me())).json())).toEqual(['id', 'username', 'name', 'roles', 'createdAt']);
  });

  it('forwards all credentials unchanged, the client address and the request id', async () => {
    await call(me({ authorization: ['Bearer a', 'Basic b'], 'x-api-key': 'k', 'x-request-id': 'r-1' }));
    await call(me({}));
    expect(under.core.calls).toMatchObject([
      {
        rpc: ME_RPC,
        options: {
          authorization: ['Bearer a', 'Basic b'],
          apiKey: ['k'],
          requestId: 'r-1',
          clientAddress: '127.0.0.1',
          timeoutMs: 4000,
        },
      },
      { options: { authorization: [], apiKey: [] } },
    ]);
  });

  it('reads the client address from X-Forwarded-For of a trusted proxy only', async () => {
    const forwarded = me({ 'x-forwarded-for': '203.0.113.9, 198.51.100.7' });
    const trusting = await sharedGateway({ 'app.http.trusted-proxies': ['127.0.0.0/8'] });
    await call(forwarded);
    await trusting.app.inject(forwarded);
    expect(under.core.calls[0]?.options.clientAddress).toBe('127.0.0.1');
    expect(trusting.core.calls[0]?.options.clientAddress).toBe('198.51.100.7');
  });

  it.each<[ReasonName, string]>([
    ['TOKEN_MISSING', 'Unauthorized - Missing or invalid token'],
    ['TOKEN_INVALID', 'Unauthorized - Invalid or expired token'],
    ['SUBJECT_UNKNOWN', 'Unauthorized - User not found'],
  ])('maps %s to 401 unauthorized with the text of the interface', async (reason, detail) => {
    under.core.answer(ME_RPC, refused(reason));
    const answer = await call(me());
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({
      type: 'urn:service:error:unauthorized',
      title: 'Unauthorized',
      detail,
      instance: ME,
    });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('maps an outage to 503 authentication-service-unavailable', async () => {
    under.core.answer(ME_RPC, refused('SERVICE_UNAVAILABLE', { retryAfterMs: 4500 }));
    const answer = await call(me());
    expect(answer.json()).toMatchObject({ status: 503, errorCode: 'authentication-service-unavailable' });
    expect(answer.headers['retry-after']).toBe('5');
  });
});

describe('POST /api/v1/auth/logout', () => {
  const logout = (headers: Record<string, string> = {}): InjectOptions => ({ method: 'POST', url: LOGOUT, headers });

  it('returns 200 without a body and clears the cookie at its path', async () => {
    const answer = await call(logout({ authorization: 'Bearer t', cookie: 'SERVICE_REFRESH=a' }));
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe('');
    expect(answer.headers['content-length']).toBe('0');
    expect(answer.headers['set-cookie']).toBe(
      'SERVICE_REFRESH=; Max-Age=0; Path=/api/v1/auth; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
    );
    expect(under.core.calls).toMatchObject([
      { rpc: LOGOUT_RPC, input: { refreshTokens: ['a'] }, options: { authorization: ['Bearer t'] } },
    ]);
  });

  it.each([{}, { 'content-type': 'application/json' }, { 'content-type': 'image/png' }])(
    'needs no body: %j',
    async (headers) => {
      expect((await call(logout(headers))).statusCode).toBe(200);
    },
  );

  it.each<[ReasonName, number, string]>([
    ['TOKEN_INVALID', 401, 'unauthorized'],
    ['SUBJECT_UNKNOWN', 401, 'unauthorized'],
    ['SERVICE_UNAVAILABLE', 503, 'authentication-service-unavailable'],
    ['DEADLINE_EXCEEDED', 503, 'authentication-service-unavailable'],
  ])('maps %s to %i %s, and keeps the cookie', async (reason, status, errorCode) => {
    under.core.answer(LOGOUT_RPC, refused(reason));
    const answer = await call(logout());
    expect(answer.json()).toMatchObject({ status, errorCode, instance: LOGOUT });
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });
});

describe('the refresh cookie', () => {
  it('has the context path, below which alone the endpoints are', async () => {
    under = await sharedGateway({
      'app.http.context-path': '/shop',
      'app.security.refresh-session.cookie-secure': true,
    });
    const answer = await call({ ...login(credentials), url: `/shop${LOGIN}` });
    expect(answer.headers['set-cookie']).toContain('Path=/shop/api/v1/auth; HttpOnly; Secure; SameSite=Lax');
    expect((await call(login(credentials))).statusCode).toBe(404);
    expect((await call({ url: '/health/live' })).statusCode).toBe(200);
  });

  it('logs one warning if Secure is set on plain HTTP', async () => {
    under = await sharedGateway({ 'app.security.refresh-session.cookie-secure': true });
    await call(login(credentials));
    await call({ method: 'POST', url: REFRESH });
    expect(under.lines.filter((line) => line.includes('app.security.refresh-session.cookie-secure'))).toHaveLength(1);
  });

  it('does not warn behind a trusted proxy that serves HTTPS', async () => {
    under = await sharedGateway({
      'app.security.refresh-session.cookie-secure': true,
      'app.http.trusted-proxies': ['127.0.0.1'],
    });
    await call({
      ...login(credentials),
      headers: { 'content-type': 'application/json', 'x-forwarded-proto': 'https' },
    });
    expect(under.lines).toEqual([]);
  });
});

describe('secrets', () => {
  let lines: string[];

  beforeAll(async () => {
    const quiet = await gateway();
    quiet.core.answer(LOGIN_RPC, refused('INTERNAL_ERROR'));
    quiet.core.answer(REFRESH_RPC, new Error('a defect'));
    await quiet.app.inject(login({ username: 'canary-user', password: 'canary-password' }));
    await quiet.app.inject(login('{"password":"canary-password'));
    await quiet.app.inject({ method: 'POST', url: REFRESH, headers: { cookie: 'SERVICE_REFRESH=canary-cookie' } });
    await quiet.app.inject({ url: `${ME}?token=canary-query`, headers: { authorization: 'Bearer canary-token' } });
    lines = quiet.lines;
  });

  it('of requests do not appear in the log', () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain('canary');
  });
});
