// POST /api/v1/auth/login at the gateway, with a fake core.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { RefreshTokenTransport } from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { ReasonName } from '../../src/platform/errors.ts';
import { ACCOUNT, COOKIE, refused } from '../support/fake-core.ts';
import { gateway, sharedGateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';
import { credentials, login, LOGIN, LOGIN_RPC, ME, REFRESH, REFRESH_RPC } from './auth-requests.ts';

let under: GatewayUnderTest;
const call = (request: InjectOptions): Promise<LightMyRequestResponse> => under.app.inject(request);

beforeEach(async () => {
  under = await sharedGateway();
});

describe('POST /api/v1/auth/login', () => {
  it('returns 200 with the token and the user, and sets the cookie', async () => {
    const response = await call(login({ ...credentials, rememberMe: true }));
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ accessToken: 'a.b.c', user: { id: ACCOUNT.id, username: ACCOUNT.username } });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(response.headers['set-cookie']).toBe(
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
    under.core.respond(LOGIN_RPC, {
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
    const response = await call(login(body));
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      errorCode: 'validation-error',
      detail: 'Missing login credentials',
      instance: LOGIN,
    });
    expect(response.json().violations.flatMap((violation: { props: string[] }) => violation.props)).toEqual(fields);
    expect(under.core.calls).toEqual([]);
  });

  it.each(['[]', 'null', '"text"', '1', 'true', ''])(
    'returns 400 Missing login credentials to the body %j',
    async (body) => {
      const response = await call(login(body));
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ errorCode: 'validation-error', detail: 'Missing login credentials' });
    },
  );

  it('returns 400 Missing login credentials without a body and its type', async () => {
    const response = await call({ method: 'POST', url: LOGIN });
    expect(response.json()).toMatchObject({ status: 400, detail: 'Missing login credentials' });
  });

  it.each(['true', 1, null, {}])('returns 400 with a violation for rememberMe %j', async (rememberMe) => {
    const response = await call(login({ ...credentials, rememberMe }));
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      errorCode: 'validation-error',
      violations: [{ props: ['rememberMe'], format: 'type', params: { type: 'boolean' } }],
    });
    expect(response.json().detail).not.toBe('Missing login credentials');
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
    under.core.respond(LOGIN_RPC, refused(reason));
    const response = await call(login(credentials));
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({
      status,
      errorCode,
      detail: `because of ${reason}`,
      exceptionType: 'ServiceError',
    });
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(response.headers).not.toHaveProperty('www-authenticate');
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
    const responses = new Set<string>();
    for (const reason of reasons) {
      under.core.respond(LOGIN_RPC, refused(reason, { retryAfterMs: 900_000 }));
      const { statusCode, body, headers } = await call(login(credentials));
      const { date: _date, 'x-request-id': _id, ...rest } = headers;
      responses.add(JSON.stringify([statusCode, body, rest]));
    }
    expect([...responses]).toHaveLength(1);
    expect([...responses][0]).toContain('bad-credentials');
  });
});

describe('secrets', () => {
  let lines: string[];

  beforeAll(async () => {
    const quiet = await gateway();
    quiet.core.respond(LOGIN_RPC, refused('INTERNAL_ERROR'));
    quiet.core.respond(REFRESH_RPC, new Error('a defect'));
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
