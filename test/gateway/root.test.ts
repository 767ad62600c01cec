// Routes outside /api/v1: keys, health, OpenAPI document, metrics, CORS.
import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { refused, type RecordedCall } from '../support/fake-core.ts';
import { DECLARED, OPERATIONS } from '../support/operations.ts';
import { IS_SHOP_SERVED } from '../support/shop-served.ts';
import { gateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';

let under: GatewayUnderTest;

beforeEach(async () => {
  under = await gateway();
});

afterAll(async () => {
  await under.app.close();
});

describe('GET /.well-known/jwks.json', () => {
  it('returns 200 with the key set of the core', async () => {
    const response = await under.app.inject('/.well-known/jwks.json');
    expect(response.json()).toEqual({ keys: [{ kty: 'EC', kid: 'k1', crv: 'P-256', x: 'x', y: 'y' }] });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    });
  });

  it('returns 503 for an outage, which is not reported as one of authentication and not cached', async () => {
    under.core.respond('authservice.key.v1.KeyService/GetJsonWebKeySet', refused('SERVICE_UNAVAILABLE'));
    const response = await under.app.inject('/.well-known/jwks.json');
    expect(response.json()).toMatchObject({ status: 503, errorCode: 'service-unavailable' });
    expect(response.headers).not.toHaveProperty('cache-control');
  });
});

describe('GET /.well-known/oauth-authorization-server', () => {
  it('returns 503 without Cache-Control for an outage', async () => {
    const rpc = 'authservice.session.v1.SessionService/GetAuthorizationServerMetadata';
    under.core.respond(rpc, refused('SERVICE_UNAVAILABLE'));
    const response = await under.app.inject('/.well-known/oauth-authorization-server');
    expect(response.json()).toMatchObject({ status: 503, errorCode: 'service-unavailable' });
    expect(response.headers).not.toHaveProperty('cache-control');
  });
});

describe('health', () => {
  it('is live without a call of the core', async () => {
    expect((await under.app.inject('/health/live')).statusCode).toBe(200);
    expect(under.core.calls).toEqual([]);
  });

  it.each<[what: string, response: unknown, status: number]>([
    ['serving', { status: 1 }, 200],
    ['unknown', { status: 0 }, 503],
    ['not serving', { status: 2 }, 503],
    ['unavailable', refused('SERVICE_UNAVAILABLE'), 503],
    ['broken', refused('INTERNAL_ERROR'), 503],
  ])('has the readiness of the core: %s', async (_what, response, status) => {
    under.core.respond('grpc.health.v1.Health/Check', response);
    const { statusCode, headers } = await under.app.inject('/health/ready');
    expect(statusCode).toBe(status);
    expect('retry-after' in headers).toBe(status === 503);
  });
});

describe('GET /openapi.json', () => {
  const statuses = async (): Promise<Record<string, string[]>> => {
    const withMail = await gateway({ 'app.mail.url': 'file:mail' });
    const { paths } = (await withMail.app.inject('/openapi.json')).json();
    const operations = Object.entries<Record<string, { responses: object }>>(paths);
    return Object.fromEntries(
      operations.flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { responses }]) => [
          `${method.toUpperCase()} ${path}`,
          Object.keys(responses),
        ]),
      ),
    );
  };

  it('lists every endpoint with every status', async () => {
    expect(await statuses()).toEqual(OPERATIONS);
  });

  it('has the statuses that follow from the protos', async () => {
    expect(Object.keys(DECLARED).length).toBeGreaterThan(IS_SHOP_SERVED ? 70 : 40);
    expect(await statuses()).toMatchObject(DECLARED);
  });

  it('is OpenAPI 3.1 with problem documents, and without content for empty responses', async () => {
    const { openapi, paths, components } = (await under.app.inject('/openapi.json')).json();
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(components.schemas.Problem.properties)).toContain('errorCode');
    const { 200: ok, 401: unauthorized } = paths['/api/v1/auth/logout'].post.responses;
    expect(ok).not.toHaveProperty('content');
    expect(Object.keys(unauthorized.content)).toEqual(['application/problem+json']);
    const { requestBody, responses } = paths['/api/v1/auth/token'].post;
    expect(Object.keys(requestBody.content)).toEqual(['application/json', 'application/x-www-form-urlencoded']);
    expect(Object.keys(responses[401].content)).toEqual(['application/problem+json', 'application/json']);
    expect(responses[429].description).toBe('temporarily_unavailable');
    expect(paths['/api/v1/auth/login'].post['x-rpc']).toBe('authservice.session.v1.SessionService/Login');
  });

  it('says that a response with one member can be that member', async () => {
    const { paths, components } = (await under.app.inject('/openapi.json')).json();
    const { content, headers } = paths['/api/v1/applications'].post.responses[201];
    const refs = ['Application', 'CreateApplicationResponse'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    expect(content['application/json'].schema).toEqual({ oneOf: refs });
    expect(Object.keys(headers)).toEqual(['ETag', 'Location']);
    expect(components.schemas.CreateApplicationResponse.required).toEqual(['application', 'clientSecret']);
  });
});

/** The bodies of POST requests that need another one than a login. */
const PAYLOADS: Readonly<Record<string, object>> = {
  '/api/v1/auth/password-change': { challenge: 'c', newPassword: 'p' },
  '/api/v1/auth/second-factor': { challenge: 'c', totp: '123456' },
  '/api/v1/auth/second-factor/enrolment': { challenge: 'c', method: 'totp' },
  '/api/v1/auth/second-factor/passkey-options': { challenge: 'c' },
  '/api/v1/auth/passkey': { challenge: 'c', passkey: {} },
  '/api/v1/auth/oauth2/device-requests': { userCode: 'c' },
  '/api/v1/auth/oauth2/device-requests/decision': { userCode: 'c', decision: 'ALLOW' },
};

/** The bodies of POST requests that must be forms. */
const FORMS: Readonly<Record<string, string>> = {
  '/api/v1/auth/oauth2/authorize': 'client_id=c',
  '/api/v1/auth/oauth2/end-session': 'client_id=c',
  '/api/v1/auth/oauth2/par': 'client_id=c',
  '/api/v1/auth/oauth2/device': 'client_id=c',
  '/api/v1/auth/oauth2/token': 'grant_type=refresh_token',
  '/api/v1/auth/oauth2/userinfo': 'access_token=t',
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('one REST call is one RPC', () => {
  it('names the called RPC in the OpenAPI document', async () => {
    const { paths } = (await under.app.inject('/openapi.json')).json();
    for (const [url, methods] of Object.entries<Record<string, { 'x-rpc'?: string }>>(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const before = under.core.calls.length;
        await under.app.inject({
          url,
          method: method.toUpperCase() as 'GET',
          ...(method === 'post' && { payload: PAYLOADS[url] ?? { username: 'u', password: 'p' } }),
          ...(method === 'post' && url in FORMS && { payload: FORMS[url], headers: FORM }),
        });
        const called = under.core.calls.slice(before).map(({ rpc }) => rpc);
        expect(called).toEqual(operation['x-rpc'] === undefined ? [] : [operation['x-rpc']]);
      }
    }
  });
});

describe('metrics', () => {
  it('count by route pattern, method and status, never by path', async () => {
    await under.app.inject('/api/v1/auth/me');
    await under.app.inject('/api/v1/auth/me');
    await under.app.inject('/canary-path');
    const text = await under.registry.metrics();
    expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/api/v1/auth/me",status="200"} 2');
    expect(text).toContain('http_request_duration_seconds_count{method="GET",route="none",status="404"} 1');
    expect(text).not.toContain('canary');
  });

  it('count a request whose client disconnects before the response with the status 499, once', async () => {
    const { app, core, registry } = await gateway();
    const called = new EventEmitter();
    core.respond('authservice.identity.v1.IdentityService/GetMe', ({ options: { signal } }: RecordedCall) => {
      called.emit('call');
      return new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(new Error('aborted'))));
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const sending = request(`${url}/api/v1/auth/me`, { agent: false }).on('error', () => {});
    const arrived = once(called, 'call');
    sending.end();
    await arrived;
    sending.destroy();
    const lines = async () =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('http_request_duration_seconds_count'));
    const counted = 'http_request_duration_seconds_count{method="GET",route="/api/v1/auth/me",status="499"} 1';
    await expect.poll(lines).toEqual([counted]);
    await app.close();
    expect(await lines()).toEqual([counted]);
  });
});

describe('X-Request-Id', () => {
  it('is the valid one of the client, otherwise a new one, on success and failure', async () => {
    const own = await under.app.inject({ url: '/api/v1/auth/me', headers: { 'x-request-id': 'trace-1' } });
    const unusable = await under.app.inject({ url: '/nowhere', headers: { 'x-request-id': 'a b' } });
    const bad = await under.app.inject({ url: '/%zz', headers: { 'x-request-id': 'trace-2' } });
    expect(own.headers['x-request-id']).toBe('trace-1');
    expect(unusable.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    expect(bad.headers['x-request-id']).toBe('trace-2');
  });
});

describe('CORS', () => {
  const preflight = (origin: string, method: string, url = '/api/v1/auth/login') =>
    under.app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  const corsHeaders = (headers: object): string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'returns 204 to the preflight of %s from a listed origin',
    async (method) => {
      const { statusCode, headers } = await preflight('https://shop.test', method);
      expect(statusCode).toBe(204);
      expect(headers['access-control-allow-origin']).toBe('https://shop.test');
      expect(headers['access-control-allow-credentials']).toBe('true');
      expect(headers['access-control-allow-methods']).toContain(method);
      for (const name of ['Authorization', 'Content-Type', 'X-Api-Key', 'If-Match', 'Idempotency-Key']) {
        expect(headers['access-control-allow-headers']).toContain(name);
      }
    },
  );

  it('lets a listed origin read responses and their headers, errors included', async () => {
    for (const url of ['/api/v1/auth/me', '/nowhere']) {
      const { headers } = await under.app.inject({ url, headers: { origin: 'https://shop.test' } });
      expect(headers).toMatchObject({
        'access-control-allow-origin': 'https://shop.test',
        'access-control-allow-credentials': 'true',
        vary: 'Origin',
      });
      for (const name of [
        'X-Total-Count',
        'X-Page',
        'X-Per-Page',
        'Link',
        'Location',
        'ETag',
        'Retry-After',
        'X-Request-Id',
      ]) {
        expect(headers['access-control-expose-headers']).toContain(name);
      }
    }
  });

  it.each(['https://evil.test', 'https://shop.test.evil.test', 'null', 'http://localhost:3000'])(
    'sends no CORS headers to %s',
    async (origin) => {
      const response = await under.app.inject({ url: '/api/v1/auth/me', headers: { origin } });
      expect(corsHeaders(response.headers)).toEqual([]);
      expect(response.headers.vary).toBe('Origin');
      expect(corsHeaders((await preflight(origin, 'POST')).headers)).toEqual([]);
    },
  );

  it('allows any loopback port if the settings list it', async () => {
    under = await gateway({ 'app.http.cors.allowed-origins': { origins: [], anyLoopbackPort: true } });
    const { headers } = await under.app.inject({
      url: '/api/v1/auth/me',
      headers: { origin: 'http://localhost:5173' },
    });
    expect(headers['access-control-allow-origin']).toBe('http://localhost:5173');
  });
});

describe('app.http.docs=false', () => {
  it('removes the OpenAPI document and its page only', async () => {
    const silent = await gateway({ 'app.http.docs': false });
    for (const path of ['/openapi.json', '/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/static/index.html'])
      expect((await silent.app.inject(path)).statusCode, path).toBe(404);
    expect((await silent.app.inject('/health/live')).statusCode).toBe(200);
    expect((await silent.app.inject('/api/v1/auth/me')).statusCode).toBe(
      (await under.app.inject('/api/v1/auth/me')).statusCode,
    );
    await silent.app.close();
  });
});

describe('Strict-Transport-Security', () => {
  it('is sent only if a trusted proxy reports HTTPS', async () => {
    const secure = await gateway({ 'app.http.hsts': 86_400_000, 'app.http.trusted-proxies': ['10.0.0.1'] });
    const ask = async (app: GatewayUnderTest['app'], remoteAddress: string, protocol: string, path = '/health/live') =>
      (await app.inject({ path, remoteAddress, headers: { 'x-forwarded-proto': protocol } })).headers[
        'strict-transport-security'
      ];
    expect(await ask(secure.app, '10.0.0.1', 'https')).toBe('max-age=86400');
    expect(await ask(secure.app, '10.0.0.1', 'https', '/nowhere')).toBe('max-age=86400');
    expect(await ask(secure.app, '10.0.0.1', 'http')).toBeUndefined();
    expect(await ask(secure.app, '10.0.0.2', 'https')).toBeUndefined();
    expect(await ask(under.app, '10.0.0.1', 'https')).toBeUndefined();
    await secure.app.close();
  });
});
