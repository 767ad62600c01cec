// Origins whose pages may call with credentials (Fetch standard, section 3.3), on real sockets.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { PUBLIC_URL } from '../../support/mails.ts';
import { rawRequest, sendRaw, type RawResponse } from '../../support/raw-http.ts';
import { seedSession } from '../../support/sessions.ts';
import { IS_SHOP_SERVED } from '../../support/shop-served.ts';

const LOGIN = '/api/v1/auth/login';
const REFRESH = '/api/v1/auth/refresh';
const ME = '/api/v1/auth/me';
const SHOP = 'https://shop.test';
const ADMIN = 'https://admin.shop.test:8443';
const NEVER_LISTED = [
  'null',
  '*',
  'https://evil.test',
  'http://shop.test',
  'https://shop.test:443',
  'https://shop.test:8443',
  'https://shop.test/',
  'https://SHOP.test',
  'https://shop.test.evil.test',
  'https://evilshop.test',
  'https://shop.test@evil.test',
  'https://shop.tes',
  'https://www.shop.test',
  `${SHOP}, ${ADMIN}`,
  `${SHOP} ${ADMIN}`,
  '\xff',
  '__proto__',
];
const LOOPBACK = ['http://localhost', 'http://localhost:5173', 'http://127.0.0.1', 'http://127.0.0.1:3000'];
const NO_LOOPBACK = [
  'https://localhost:5173',
  'http://localhost.evil.test',
  'http://localhost:5173.evil.test',
  'http://127.0.0.1.evil.test:80',
  'http://127.0.0.11:80',
  'http://127.0.0.2',
  'http://0.0.0.0:80',
  'http://[::1]:80',
  'http://localhost:',
  'http://localhost:123456',
];

const corsHeaders = ({ headers }: RawResponse) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const listOf = (response: RawResponse, name: string) => (response.headers.get(name) ?? '').split(/ *, */);

function caller(url: string) {
  const send = (method: string, path: string, lines: readonly string[] = [], body = '') =>
    sendRaw(url, rawRequest(`${method} ${path} HTTP/1.1`, lines, body));
  return {
    send,
    from: (origin: string, path = ME) => send('GET', path, [`Origin: ${origin}`]),
    preflight: (origin: string, method: string, path = LOGIN, headers = 'authorization, content-type') =>
      send('OPTIONS', path, [
        `Origin: ${origin}`,
        `Access-Control-Request-Method: ${method}`,
        `Access-Control-Request-Headers: ${headers}`,
      ]),
  };
}

function expectAllowed(response: RawResponse, origin: string): void {
  expect(response.headers.get('access-control-allow-origin')).toBe(origin);
  expect(response.headers.get('access-control-allow-credentials')).toBe('true');
  expect(listOf(response, 'vary')).toContain('Origin');
}

describe('with listed origins', () => {
  let deployment: Deployment;
  let account: Account;
  let api: ReturnType<typeof caller>;

  beforeAll(async () => {
    const settings = { 'app.env': 'DEV', 'app.http.cors.allowed-origins': `${SHOP},${ADMIN}` };
    deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
    account = await seedAccount(deployment.database);
    api = caller(deployment.url);
  });
  afterAll(() => deployment?.close());

  it.each([SHOP, ADMIN])('lets %s log in and keep the cookie', async (origin) => {
    const body = JSON.stringify({ username: account.username, password: PASSWORD });
    const response = await api.send('POST', LOGIN, [`Origin: ${origin}`, 'Content-Type: application/json'], body);
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()).toHaveLength(1);
    expectAllowed(response, origin);
  });

  it.each([
    ['GET', ME, 401],
    ['GET', '/nowhere', 404],
    ['PUT', LOGIN, 405],
    ['POST', LOGIN, 400],
    ['POST', REFRESH, 401],
    ['POST', '/api/v1/auth/logout', 200],
    ['GET', '/health/live', 200],
    ['GET', '/.well-known/jwks.json', 200],
  ])('lets a listed origin read the response to %s %s', async (method, path, status) => {
    const response = await api.send(method, path, [`Origin: ${SHOP}`]);
    expect(response.status).toBe(status);
    expectAllowed(response, SHOP);
    const exposed = listOf(response, 'access-control-expose-headers');
    expect(exposed).toEqual(
      expect.arrayContaining([
        'X-Total-Count',
        'X-Page',
        'X-Per-Page',
        'Retry-After',
        'WWW-Authenticate',
        'X-Request-Id',
      ]),
    );
    expect(exposed).not.toContain('*');
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('returns 204 to the preflight of %s', async (method) => {
    const response = await api.preflight(ADMIN, method);
    expect(response.status).toBe(204);
    expectAllowed(response, ADMIN);
    expect(listOf(response, 'access-control-allow-methods')).toContain(method);
    const headers = listOf(response, 'access-control-allow-headers').map((name) => name.toLowerCase());
    expect(headers).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'x-api-key', 'if-match', 'idempotency-key']),
    );
    expect([...listOf(response, 'access-control-allow-methods'), ...headers]).not.toContain('*');
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  it('returns 204 to a preflight before it checks a credential or route, and sets no cookie', async () => {
    const response = await api.preflight(SHOP, 'GET', ME);
    expect(response.status).toBe(204);
    expect(response.text).toBe('');
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.get('www-authenticate')).toBeNull();
  });

  it('allows every request header that the OpenAPI document names', async () => {
    const { paths } = (await (await fetch(new URL('/openapi.json', deployment.url))).json()) as {
      paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
    };
    const parameters = Object.values(paths).flatMap((path) =>
      Object.values(path).flatMap((each) => each.parameters ?? []),
    );
    const named = [...new Set(parameters.filter((each) => each.in === 'header').map(({ name }) => name.toLowerCase()))];
    // Without the shop, they are If-Match and If-None-Match.
    expect(named.length).toBeGreaterThan(IS_SHOP_SERVED ? 3 : 1);
    const response = await api.preflight(SHOP, 'POST');
    const allowed = listOf(response, 'access-control-allow-headers').map((name) => name.toLowerCase());
    expect(named.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it('allows only the listed headers and methods of a preflight', async () => {
    const response = await api.preflight(SHOP, 'PURGE', LOGIN, 'x-evil, cookie');
    expect(listOf(response, 'access-control-allow-methods')).not.toContain('PURGE');
    expect(response.headers.get('access-control-allow-headers')).not.toMatch(/x-evil|cookie/i);
  });

  it.each([...NEVER_LISTED, ...LOOPBACK])('sends no CORS headers to the origin %s', async (origin) => {
    for (const response of [
      await api.from(origin),
      await api.from(origin, '/nowhere'),
      await api.preflight(origin, 'POST'),
    ]) {
      expect(corsHeaders(response)).toEqual([]);
      expect(listOf(response, 'vary')).toContain('Origin');
    }
  });

  it('sends no CORS headers for two Origin headers', async () => {
    const response = await api.send('GET', ME, [`Origin: ${SHOP}`, 'Origin: https://evil.test']);
    expect(corsHeaders(response)).toEqual([]);
  });

  it('sends Vary: Origin also for requests without an origin', async () => {
    const response = await api.send('GET', ME);
    expect(corsHeaders(response).filter((name) => name === 'access-control-allow-origin')).toEqual([]);
    expect(listOf(response, 'vary')).toContain('Origin');
  });

  it('serves a foreign origin without CORS headers', async () => {
    const { accessToken } = await seedSession(deployment, account);
    const response = await api.send('GET', ME, ['Origin: https://evil.test', `Authorization: Bearer ${accessToken}`]);
    expect(response.status).toBe(200);
    expect(corsHeaders(response)).toEqual([]);
  });
});

describe('without listed origins', () => {
  it.each([
    ['DEV', [...LOOPBACK], [...NO_LOOPBACK, SHOP, 'null']],
    ['TEST', [], [...LOOPBACK, SHOP, 'null']],
    ['PROD', [], [...LOOPBACK, SHOP, 'null']],
  ])('%s', async (env, allowed, refused) => {
    const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings: { 'app.env': env } });
    try {
      const api = caller(deployment.url);
      const account = await seedAccount(deployment.database);
      for (const origin of allowed) {
        expectAllowed(await api.from(origin), origin);
        expectAllowed(await api.preflight(origin, 'POST'), origin);
      }
      for (const origin of refused) {
        expect(corsHeaders(await api.from(origin))).toEqual([]);
        expect(corsHeaders(await api.preflight(origin, 'POST'))).toEqual([]);
      }
      // The same list decides who may refresh.
      for (const origin of [...allowed, ...refused]) {
        const { cookie } = await seedSession(deployment, account);
        const { status } = await api.send('POST', REFRESH, [`Origin: ${origin}`, `Cookie: ${cookie}`]);
        expect([origin, status]).toEqual([origin, allowed.includes(origin) ? 200 : 401]);
      }
    } finally {
      await deployment.close();
    }
  });
});

describe('paths that are open to applications in browsers', () => {
  const KEY_SET = '/.well-known/jwks.json';
  const METADATA = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];
  const ENDPOINTS = ['oauth2/token', 'oauth2/userinfo', 'oauth2/par', 'oauth2/device', 'introspect', 'revoke'];
  const OPEN = [KEY_SET, ...METADATA, ...ENDPOINTS.map((name) => `/api/v1/auth/${name}`)];
  const EVERY_ORIGIN = ['https://app.evil.test', 'http://localhost:3000', 'null'];

  const expectOpen = (response: RawResponse) => {
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  };

  describe.each([
    ['without listed origins', {}],
    ['with listed origins', { 'app.http.cors.allowed-origins': `${SHOP},${ADMIN}` }],
  ])('%s', (name, settings) => {
    const isListing = name === 'with listed origins';
    let deployment: Deployment;
    let api: ReturnType<typeof caller>;

    beforeAll(async () => {
      const provider = { 'app.public-url': PUBLIC_URL };
      deployment = await deploy({ engine: 'sqlite', transport: 'local', settings: { ...settings, ...provider } });
      api = caller(deployment.url);
    });
    afterAll(() => deployment?.close());

    it.each([KEY_SET, ...METADATA])('lets pages of every origin read %s, without credentials', async (path) => {
      for (const lines of [[], ...EVERY_ORIGIN.map((origin) => [`Origin: ${origin}`])]) {
        const response = await api.send('GET', `${path}?x=1`, lines);
        expect(response.status).toBe(200);
        expectOpen(response);
        // A shared cache keeps the response to a listed origin apart.
        expect(listOf(response, 'vary').includes('Origin')).toBe(isListing);
      }
    });

    it.each(OPEN)('answers the preflight of %s', async (path) => {
      for (const origin of EVERY_ORIGIN) {
        const response = await api.preflight(origin, 'POST', path);
        expect([response.status, response.text]).toEqual([204, '']);
        expectOpen(response);
        expect(listOf(response, 'access-control-allow-methods')).toEqual(['GET', 'HEAD', 'POST']);
        expect(listOf(response, 'access-control-allow-headers')).toEqual(
          expect.arrayContaining(['Authorization', 'Content-Type']),
        );
        expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
      }
    });

    it('lets pages read errors, too', async () => {
      const form = ['Content-Type: application/x-www-form-urlencoded', 'Origin: https://app.evil.test'];
      for (const name of ENDPOINTS) {
        const response = await api.send('POST', `/api/v1/auth/${name}`, form, 'x=y');
        expect([400, 401]).toContain(response.status);
        expectOpen(response);
        expect(listOf(response, 'access-control-expose-headers')).toContain('WWW-Authenticate');
      }
      expectOpen(await api.send('DELETE', KEY_SET, ['Origin: https://app.evil.test']));
    });

    it.each([
      LOGIN,
      ME,
      '/api/v1/auth/token',
      '/api/v1/auth/oauth2/authorize',
      '/api/v1/auth/oauth2/end-session',
      '/api/v1/auth/oauth2/token/',
      '/shop/api/v1/auth/introspect',
      '/.well-known/jwks.json/',
      '/health/live',
    ])('leaves %s closed to origins that are not listed', async (path) => {
      const origin = 'https://app.evil.test';
      for (const response of [await api.from(origin, path), await api.preflight(origin, 'POST', path)])
        expect(corsHeaders(response)).toEqual([]);
    });
  });

  it('leaves a listed origin its credentials', async () => {
    const settings = { 'app.http.cors.allowed-origins': SHOP };
    const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
    try {
      const api = caller(deployment.url);
      for (const path of [KEY_SET, ...METADATA]) expectAllowed(await api.from(SHOP, path), SHOP);
      expectAllowed(await api.preflight(SHOP, 'POST', '/api/v1/auth/revoke'), SHOP);
    } finally {
      await deployment.close();
    }
  });

  it('opens the paths below the context path', async () => {
    const settings = { 'app.public-url': 'https://shop.test/shop', 'app.http.context-path': '/shop' };
    const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
    try {
      const api = caller(deployment.url);
      for (const path of [
        ...METADATA,
        ...METADATA.map((one) => `/shop${one}`),
        ...METADATA.map((one) => `${one}/shop`),
      ])
        expectOpen(await api.from('https://app.evil.test', path));
      expectOpen(await api.preflight('https://app.evil.test', 'POST', '/shop/api/v1/auth/oauth2/token'));
      expect(corsHeaders(await api.preflight('https://app.evil.test', 'POST', '/api/v1/auth/oauth2/token'))).toEqual(
        [],
      );
    } finally {
      await deployment.close();
    }
  });
});
