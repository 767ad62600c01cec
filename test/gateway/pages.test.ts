// The pages of web/, as the gateway serves them.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { GatewaySettings } from '../../gateway/context.ts';
import { readPageFiles } from '../../gateway/pages/page-files.ts';
import { sharedGateway } from './gateway.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";
const PROD = { 'app.env': 'PROD', 'app.http.pages': true, 'app.public-url': 'https://shop.test' } as const;
const MAX_SCRIPT_BYTES = 60_000;

async function request(
  url: string,
  settings: Partial<GatewaySettings> = PROD,
  options: { readonly method?: 'GET' | 'HEAD'; readonly headers?: Record<string, string> } = {},
) {
  const { app } = await sharedGateway(settings);
  return app.inject({ method: 'GET', url, ...options, headers: { host: 'shop.test', ...options.headers } });
}

const { manifest } = await readPageFiles();
const pages = Object.entries(manifest.pages);
const { script } = manifest.pages['login']!;

describe('the page of a login', () => {
  it('has the content security policy of the contract and loads hashed files', async () => {
    const { statusCode, headers, body } = await request('/login');
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-security-policy': POLICY,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(body).toContain(`<script type="module" src="/assets/${script}"></script>`);
    expect(body).not.toMatch(/style=|<script>|<style|\son\w+=|https?:/);
  });

  it('returns 304 for its ETag, and no body for HEAD', async () => {
    const { headers, body } = await request('/login');
    const unchanged = await request('/login', PROD, { headers: { 'if-none-match': String(headers.etag) } });
    expect([unchanged.statusCode, unchanged.body]).toEqual([304, '']);
    expect(unchanged.headers['content-security-policy']).toBe(POLICY);
    const head = await request('/login', PROD, { method: 'HEAD' });
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', String(body.length)]);
  });

  it('escapes the name of the service', async () => {
    const { body } = await request('/login', { ...PROD, 'app.brand.name': '<img>"shop' });
    expect(body).toContain('<title>&lt;img&gt;&quot;shop</title>');
  });

  it('is below the context path', async () => {
    const settings = { ...PROD, 'app.http.context-path': '/shop', 'app.public-url': 'https://shop.test/shop' };
    expect((await request('/shop/login', settings)).body).toContain(`src="/shop/assets/${script}"`);
    expect((await request(`/shop/assets/${script}`, settings)).statusCode).toBe(200);
    expect((await request('/login', settings)).statusCode).toBe(404);
  });

  it.each(['/login', '/recover', '/invite', '/email'])('%s is served under Profile B', async (path) => {
    expect((await request(path, { ...PROD, 'app.security.auth-profile': 'B' })).statusCode).toBe(200);
  });

  it.each(['/login', '/login/continue', `/assets/${script}`])(
    'returns 404 for %s with app.http.pages=false',
    async (path) => {
      const response = await request(path, { ...PROD, 'app.http.pages': false, 'app.http.docs': false });
      expect([response.statusCode, response.json().errorCode]).toEqual([404, 'not-found']);
    },
  );
});

describe('the path of a page with a slash at its end', () => {
  const ALL = { ...PROD, 'app.http.docs': true } as const;
  const target = async (url: string, settings: Partial<GatewaySettings> = ALL) => {
    const { statusCode, headers } = await request(url, settings);
    return [statusCode, statusCode === 308 ? new URL(String(headers.location), `https://shop.test${url}`).href : ''];
  };

  it.each([
    '/login',
    '/login/continue',
    '/recover',
    '/invite',
    '/email',
    '/account',
    '/account/sessions',
    '/console',
    '/console/users/0190',
    '/docs',
    '/docs/listUsers',
  ])('is redirected to %s, with the query', async (path) => {
    for (const slashes of ['/', '//'])
      if (slashes === '/' || !/^.(login|recover|invite|email|docs)/.test(path))
        expect(await target(path + slashes)).toEqual([308, `https://shop.test${path}`]);
    expect(await target(`${path}/?a=1&b=/x/?`)).toEqual([308, `https://shop.test${path}?a=1&b=/x/?`]);
  });

  it('is redirected below the context path', async () => {
    const settings = { ...ALL, 'app.http.context-path': '/shop', 'app.public-url': 'https://shop.test/shop' };
    for (const path of ['/shop/login', '/shop/console/users', '/shop/docs', '/docs'])
      expect(await target(`${path}/?x`, settings)).toEqual([308, `https://shop.test${path}?x`]);
    expect(await target('/login/', settings)).toEqual([404, '']);
  });

  it('is redirected without a host and a path of its own, so that a proxy may change both', async () => {
    expect((await request('/login/?x', ALL)).headers.location).toBe('../login?x');
    expect((await request('/console/users//', ALL)).headers.location).toBe('../../users');
    for (const path of ['/console//evil.test/', '/console/%2F%2Fevil.test/', '/console/https:evil.test/'])
      expect(await target(path)).toEqual([308, `https://shop.test${path.slice(0, -1)}`]);
  });

  it('is not stored, answers HEAD, and is no path of other methods', async () => {
    const head = await request('/login/', ALL, { method: 'HEAD' });
    expect([head.statusCode, head.headers['cache-control'], head.body]).toEqual([308, 'no-store', '']);
    const { app } = await sharedGateway(ALL);
    expect((await app.inject({ method: 'POST', url: '/login/', headers: { host: 'shop.test' } })).statusCode).toBe(405);
  });

  it('stays unknown where the page is not served, and for the API', async () => {
    for (const path of ['/console/', '/account/'])
      expect(await target(path, { ...ALL, 'app.security.auth-profile': 'B' })).toEqual([404, '']);
    for (const path of ['/openapi.json/', '/api/v1/auth/options/', '//evil.test/login/', '/x/login/'])
      expect(await target(path)).toEqual([404, '']);
  });
});

describe('the page of the API', () => {
  const DOCS = { ...PROD, 'app.http.docs': true, 'app.http.pages': false } as const;

  it.each(['/docs', '/docs/listUsers', '/shop/docs', '/shop/docs/listUsers'])(
    'is at the root and below the context path: %s',
    async (path) => {
      const settings = { ...DOCS, 'app.http.context-path': '/shop', 'app.public-url': 'https://shop.test/shop' };
      const { statusCode, body, headers } = await request(path, settings);
      expect([statusCode, headers['content-security-policy']]).toEqual([200, POLICY]);
      const [, file = ''] = /<script type="module" src="([^"]+)"/.exec(body)!;
      expect(file).toMatch(/^\/shop\/assets\/docs-/);
      expect((await request(file, settings)).statusCode).toBe(200);
      expect((await request(`${path.split('/docs')[0]}/openapi.json`, settings)).statusCode).toBe(200);
    },
  );

  it('has no link to a start page outside DEV, and is not served with app.http.docs=false', async () => {
    expect((await request('/docs', DOCS)).body).toContain('<div id="page"></div>');
    expect((await request('/docs', { ...DOCS, 'app.http.docs': false })).statusCode).toBe(404);
  });
});

describe('a file of the pages', () => {
  const path = `/assets/${script}`;

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is compressed ahead with %s', async (coding, decompress) => {
    const plain = await request(path);
    const { headers, rawPayload } = await request(path, PROD, { headers: { 'accept-encoding': coding } });
    expect(headers).toMatchObject({
      'content-encoding': coding,
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: expect.stringContaining('Accept-Encoding'),
    });
    expect(decompress(rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(headers.etag).not.toBe(plain.headers.etag);
  });

  it('returns 304 for its ETag', async () => {
    const { headers } = await request(path);
    const unchanged = await request(path, PROD, { headers: { 'if-none-match': String(headers.etag) } });
    expect([unchanged.statusCode, unchanged.body]).toEqual([304, '']);
  });

  it.each(['login.js', 'manifest.json', '..%2Fmanifest.json', `${script}.br`, '%00', 'reload.js', '__proto__'])(
    'returns 404 for the unknown name %s',
    async (name) => {
      const response = await request(`/assets/${name}`);
      expect([response.statusCode, response.json().errorCode]).toEqual([404, 'not-found']);
    },
  );
});

describe('the scripts of a page and one of its screens', () => {
  const ALONE = ['', []] as const;
  const sets = pages.flatMap(([name, { script: main, imports, lazy }]) =>
    [ALONE, ...Object.entries(lazy)].map(
      ([part, scripts]) => [`${name} ${part}`, [main, ...imports, ...scripts]] as const,
    ),
  );

  it('are loaded with the screen alone', () => {
    expect(Object.keys(manifest.pages['console']!.lazy)).toEqual(expect.arrayContaining(['audit', 'users']));
  });

  it.each(sets)('%s: at most 60 kB with gzip', async (_name, scripts) => {
    const sizes = await Promise.all(
      scripts.map(async (name) => {
        const { rawPayload } = await request(`/assets/${name}`, PROD, { headers: { 'accept-encoding': 'gzip' } });
        return rawPayload.length;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  });
});

describe('the end of a login', () => {
  const LISTED = { origins: ['https://app.test'], anyLoopbackPort: false };
  const HOME = 'https://shop.test/account';
  const follow = async (query: string, settings: Partial<GatewaySettings> = {}) => {
    const response = await request(`/login/continue${query}`, {
      ...PROD,
      'app.http.cors.allowed-origins': LISTED,
      ...settings,
    });
    expect([response.statusCode, response.headers['cache-control']]).toEqual([303, 'no-store']);
    return response.headers.location;
  };
  const wanting = (target: string) => `?return=${encodeURIComponent(target)}`;

  it.each([
    ['/orders?page=2#top', 'https://shop.test/orders?page=2#top'],
    ['https://shop.test/orders', 'https://shop.test/orders'],
    ['https://app.test/start?x=1', 'https://app.test/start?x=1'],
    ['HTTPS://APP.TEST:443/', 'https://app.test/'],
    ['/%5C%5Cevil.test', 'https://shop.test/%5C%5Cevil.test'],
    ['/.//evil.test', 'https://shop.test//evil.test'],
    ['/%0d%0aSet-Cookie:x', 'https://shop.test/%0d%0aSet-Cookie:x'],
  ])('follows %s', async (target, location) => {
    expect(await follow(wanting(target))).toBe(location);
  });

  it.each([
    '',
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/\t/evil.test',
    ' //evil.test',
    'orders',
    'https:evil.test',
    'https:/evil.test',
    'https:///evil.test',
    'https://evil.test',
    'http://shop.test/',
    'https://shop.test.evil.test/',
    'https://shop.test@evil.test/',
    'https://user@shop.test/',
    'https://:secret@app.test/',
    'https://app.test:8443/',
    'https://sub.app.test/',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'blob:https://shop.test/x',
    'https://[',
    `/${'a'.repeat(2_000)}`,
    '/\u0000',
  ])('does not follow %j', async (target) => {
    expect(await follow(wanting(target))).toBe(HOME);
  });

  it.each(['', '?return', '?return=/a&return=/b', '?other=/a'])('leads home without one target: %j', async (query) => {
    expect(await follow(query)).toBe(HOME);
  });

  it('without a public URL, the own origin is that of the request', async () => {
    const settings = { 'app.env': 'DEV', 'app.public-url': undefined } as const;
    expect(await follow(wanting('/orders'), settings)).toBe('http://shop.test/orders');
    expect(await follow(wanting('https://evil.test/'), settings)).toBe('http://shop.test/account');
  });
});
