// POST /api/v1/auth/refresh and its cookie at the gateway, with a fake core.
import { beforeEach, describe, expect, it } from 'vitest';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { RequestOrigin } from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { ReasonName } from '../../src/platform/errors.ts';
import { refused } from '../support/fake-core.ts';
import { sharedGateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';
import { credentials, login, LOGIN, REFRESH, REFRESH_RPC } from './auth-requests.ts';

let under: GatewayUnderTest;
const call = (request: InjectOptions): Promise<LightMyRequestResponse> => under.app.inject(request);

beforeEach(async () => {
  under = await sharedGateway();
});

describe('POST /api/v1/auth/refresh', () => {
  const refresh = (headers: Record<string, string> = {}): InjectOptions => ({ method: 'POST', url: REFRESH, headers });

  it('returns 200 with the token and its lifetime, and sets the next cookie', async () => {
    const response = await call(refresh({ cookie: 'a=b; SERVICE_REFRESH=old' }));
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ accessToken: 'd.e.f', expiresIn: 900 });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(response.headers['set-cookie']).toMatch(/^SERVICE_REFRESH=selector\.1\.verifier\.tag; Max-Age=2592000;/);
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
    const response = await call({
      ...refresh({ 'content-type': 'application/json' }),
      payload: '{"refresh_token":"x"}',
    });
    expect(response.statusCode).toBe(200);
  });

  it.each<[ReasonName, number, string]>([
    ['REFRESH_SESSION_INVALID', 401, 'refresh-session-invalid'],
    ['AUTHENTICATION_SERVICE_UNAVAILABLE', 503, 'authentication-service-unavailable'],
    ['SERVICE_UNAVAILABLE', 503, 'authentication-service-unavailable'],
    ['DEADLINE_EXCEEDED', 503, 'authentication-service-unavailable'],
    ['INTERNAL_ERROR', 500, 'internal-error'],
  ])('maps %s to %i %s, and does not change the cookie', async (reason, status, errorCode) => {
    under.core.respond(REFRESH_RPC, refused(reason));
    const response = await call(refresh({ cookie: 'SERVICE_REFRESH=a' }));
    expect(response.json()).toMatchObject({ status, errorCode, instance: REFRESH });
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(response.headers).not.toHaveProperty('www-authenticate');
    expect('retry-after' in response.headers).toBe(status === 503);
  });
});

describe('the refresh cookie', () => {
  it('has the context path, below which alone the endpoints are', async () => {
    under = await sharedGateway({
      'app.http.context-path': '/shop',
      'app.security.refresh-session.cookie-secure': true,
    });
    const response = await call({ ...login(credentials), url: `/shop${LOGIN}` });
    expect(response.headers['set-cookie']).toContain('Path=/shop/api/v1/auth; HttpOnly; Secure; SameSite=Lax');
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
