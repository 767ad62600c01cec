// GET /api/v1/auth/me and POST /api/v1/auth/logout at the gateway, with a fake core.
import { beforeEach, describe, expect, it } from 'vitest';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { ReasonName } from '../../src/platform/errors.ts';
import { ACCOUNT, refused } from '../support/fake-core.ts';
import { sharedGateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';
import { LOGOUT, LOGOUT_RPC, ME, ME_RPC } from './auth-requests.ts';

let under: GatewayUnderTest;
const call = (request: InjectOptions): Promise<LightMyRequestResponse> => under.app.inject(request);

beforeEach(async () => {
  under = await sharedGateway();
});

describe('GET /api/v1/auth/me', () => {
  const me = (headers: Record<string, string | string[]> = { authorization: 'Bearer t' }): InjectOptions => ({
    method: 'GET',
    url: ME,
    headers,
  });

  it('returns 200 with the account', async () => {
    const response = await call(me());
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ ...ACCOUNT, createdAt: '2026-01-02T03:04:05.678Z' });
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('returns 200 without tenantId and email if the account has none', async () => {
    under.core.respond(ME_RPC, { account: { ...ACCOUNT, email: undefined, tenantId: undefined } });
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
    under.core.respond(ME_RPC, refused(reason));
    const response = await call(me());
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({
      type: 'urn:service:error:unauthorized',
      title: 'Unauthorized',
      detail,
      instance: ME,
    });
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it('maps an outage to 503 authentication-service-unavailable', async () => {
    under.core.respond(ME_RPC, refused('SERVICE_UNAVAILABLE', { retryAfterMs: 4500 }));
    const response = await call(me());
    expect(response.json()).toMatchObject({ status: 503, errorCode: 'authentication-service-unavailable' });
    expect(response.headers['retry-after']).toBe('5');
  });
});

describe('POST /api/v1/auth/logout', () => {
  const logout = (headers: Record<string, string> = {}): InjectOptions => ({ method: 'POST', url: LOGOUT, headers });

  it('returns 200 without a body and clears the cookie at its path', async () => {
    const response = await call(logout({ authorization: 'Bearer t', cookie: 'SERVICE_REFRESH=a' }));
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe('');
    expect(response.headers['content-length']).toBe('0');
    expect(response.headers['set-cookie']).toBe(
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
    under.core.respond(LOGOUT_RPC, refused(reason));
    const response = await call(logout());
    expect(response.json()).toMatchObject({ status, errorCode, instance: LOGOUT });
    expect(response.headers).not.toHaveProperty('set-cookie');
  });
});
