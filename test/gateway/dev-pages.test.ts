// The start page and the demo, which exist in DEV only.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import type { GatewaySettings } from '../../gateway/context.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { gateway, type GatewayUnderTest } from './gateway.ts';

const DEMO = {
  totp: { username: 'otto@acme.test', secret: 'JBSWY3DP' },
  logins: [{ username: `<alice>@acme.test`, password: `it's "secret" & <b>`, tenant: 'acme', role: 'ADMIN' }],
  client: { clientId: 'acme-sync', clientSecret: 'secret' },
};
const MANAGEMENT = 'http://127.0.0.1:9090';

const built = new Map<string, Promise<GatewayUnderTest>>();

/** Returns the gateway of DEV with these settings. It is built once. */
async function appOf(settings: Partial<GatewaySettings>): Promise<FastifyInstance> {
  const key = JSON.stringify(settings);
  const building = built.get(key) ?? gateway(settings, undefined, { management: MANAGEMENT, demo: DEMO });
  built.set(key, building);
  return (await building).app;
}
afterAll(async () => {
  for (const building of built.values()) await (await building).app.close();
  built.clear();
});

async function get(path: string, settings: Partial<GatewaySettings> = {}) {
  const app = await appOf(settings);
  return app.inject({ url: path, headers: { host: 'shop.test:8080' } });
}

const PAGES = ['/', '/demo', '/demo/config.json', '/demo/files/demo/main.ts'];

describe('outside DEV', () => {
  it.each(PAGES)('returns 404 for %s', async (path) => {
    const { app } = await gateway();
    const response = await app.inject(path);
    expect([response.statusCode, response.json().errorCode]).toEqual([404, 'not-found']);
    await app.close();
  });
});

describe('in DEV', () => {
  it('redirects the path of the demo with a slash at its end', async () => {
    const { statusCode, headers } = await get('/demo/?x');
    expect([statusCode, headers['location']]).toEqual([308, '../demo?x']);
  });

  it.each(PAGES)('%s has a content security policy without foreign origins', async (path) => {
    const { statusCode, headers } = await get(path);
    expect(statusCode).toBe(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([true, false])('the demo has products only with the shop: app.business.enabled=%s', async (served) => {
    for (const path of ['/demo', '/demo/files/demo/index.html']) {
      const { body } = await get(path, { 'app.business.enabled': served });
      for (const text of ['id="products-card"', '>Products<', 'id="image-card"', '>Image of a product<'])
        expect([path, text, body.includes(text)]).toEqual([path, text, served]);
      for (const text of ['id="log"', '</main>', '</html>']) expect(body).toContain(text);
    }
  });

  it('the start page has all links, and commands for the requested host', async () => {
    const { body } = await get('/');
    for (const link of ['/demo', '/docs', '/health/live', '/health/ready', `${MANAGEMENT}/metrics`])
      expect(body).toContain(`href="${link}"`);
    expect(body).toContain('curl -s http://shop.test:8080/api/v1/auth/login');
  });

  it('the start page has a link to the recovery only with mail', async () => {
    expect((await get('/')).body).not.toContain('/recover');
    expect((await get('/', { 'app.mail.url': 'smtp://localhost:25' })).body).toContain('href="/recover"');
  });

  it('the start page has commands for the public URL, whatever the requested host', async () => {
    const { body } = await get('/', { 'app.public-url': 'http://localhost:8080' });
    expect(body).toContain('curl -s http://localhost:8080/api/v1/auth/login');
    expect(body).not.toContain('shop.test');
  });

  it.each(['/', '/demo'])('%s links to the pages that the settings enable', async (path) => {
    const pagesOf = async (settings: Partial<GatewaySettings>) => {
      const { body } = await get(path, settings);
      const [navigation = ''] = /<nav .*<\/nav>/s.exec(body) ?? [];
      return [...navigation.matchAll(/<a href="([^"]*)"( aria-current="page")?>/g)].map(([, href, current]) =>
        current === undefined ? href : `${href} (current)`,
      );
    };
    const linksOf = (...pages: string[]) => pages.map((page) => (page === path ? `${page} (current)` : page));
    const mail = { 'app.mail.url': 'file:data/mail', 'app.public-url': 'http://shop.test' };
    expect(await pagesOf({ 'app.http.docs': true, ...mail })).toEqual(linksOf('/', '/demo', '/docs', '/dev/mail'));
    expect(await pagesOf({ 'app.http.docs': false })).toEqual(linksOf('/', '/demo'));
  });

  it('the start page escapes names and passwords', async () => {
    const { body } = await get('/', { 'app.brand.name': '<script>shop' });
    expect(body).toContain('<h2 id="accounts">');
    expect(body).not.toMatch(/<script>|<alice|<b>/);
    expect(body).toContain('&lt;alice&gt;@acme.test');
  });

  it('the start page reports missing demo accounts, and hides the docs if they are disabled', async () => {
    const { app } = await gateway({ 'app.http.docs': false }, undefined, { management: MANAGEMENT, demo: undefined });
    const { body } = await app.inject('/');
    expect(body).toContain('no demo accounts');
    expect(body).not.toContain('/docs');
    await app.close();
  });

  it('the demo gets its auth profile and the base URL of the API', async () => {
    const settings = { 'app.http.context-path': '/shop', 'app.security.auth-profile': 'B' } as const;
    expect((await get('/demo/config.json', settings)).json()).toMatchObject({ profile: 'B', baseUrl: '/shop' });
    expect((await get('/demo/config.json')).json()).toMatchObject({
      profile: 'A',
      baseUrl: '/',
      appName: 'Authservice',
    });
  });

  it('serves TypeScript as JavaScript', async () => {
    const { headers, body } = await get('/demo/files/src/session.ts');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    // Node parses it as JavaScript.
    const { status } = spawnSync(process.execPath, ['--check', '--input-type=module'], { input: body });
    expect(status).toBe(0);
  });

  it.each([
    '/demo/files/package.json',
    '/demo/files/demo/missing.ts',
    '/demo/files/demo/..%2f..%2fpackage.json',
    '/demo/files/src/../../package.json',
    '/demo/files/test/support/tabs.ts',
  ])('returns 404 for %s', async (path) => {
    expect((await get(path)).statusCode).toBe(404);
  });

  it('keeps the pages out of the OpenAPI document', async () => {
    const paths = Object.keys((await get('/openapi.json')).json().paths);
    expect(paths.filter((path) => path === '/' || path.startsWith('/demo'))).toEqual([]);
  });
});

describe('the mails of DEV', () => {
  const folder = temporaryFolder('mail-');
  const name = '01990000-0000-7000-8000-000000000001.eml';
  const source = [
    'From: no-reply@shop.test',
    'To: Ann <ann@acme.test>',
    'Subject: =?UTF-8?Q?Passwort_=C3=A4ndern_=3Cb=3E?=',
    'Date: Sun, 29 Nov 2026 15:03:24 +0000',
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=C3=BC=C3=9Fe <script>: http://localhost/recover?a=3D1&b#token=3Dabc=',
    '--def.',
    '--b--',
  ].join('\r\n');
  writeFileSync(join(folder, name), source);
  writeFileSync(join(folder, 'other.txt'), 'secret');
  writeFileSync(join(folder, '01990000-0000-7000-8000-000000000000.eml'), 'not a mail');
  const settings = { 'app.mail.url': `file:${folder}` };

  const open = async (
    url: string,
    { host = 'localhost:8080', remoteAddress = '127.0.0.1', mail = true, more = {} } = {},
  ) => {
    const app = await appOf(mail ? settings : {});
    return app.inject({ url, headers: { host, ...more }, remoteAddress });
  };

  it('are listed with subject, receiver and time, the newest first', async () => {
    const { body, headers } = await open('/dev/mail');
    const rows = [...body.matchAll(/<tr><th scope="row">.*<\/tr>/g)].map(([row]) => row);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toContain(`<a href="/dev/mail/${name}"><bdi>Passwort ändern &lt;b&gt;</bdi></a>`);
    expect(rows[0]).toContain('<bdi>ann@acme.test</bdi>');
    expect(rows[0]).toContain('<time datetime="2026-11-29T15:03:24.000Z">');
    expect(rows[1]).toContain('(no subject)');
    expect(body).not.toContain('other.txt');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
    expect((await open('/')).body).toContain('href="/dev/mail"');
  });

  it('are shown with links that can be clicked, and nothing of them is HTML', async () => {
    const { body, headers } = await open(`/dev/mail/${name}`);
    const url = 'http://localhost/recover?a=1&amp;b#token=abc--def';
    expect(body).toContain(`Grüße &lt;script&gt;: <a href="${url}">${url}</a>.`);
    expect(body).toContain('<h1><bdi>Passwort ändern &lt;b&gt;</bdi></h1>');
    expect(body).not.toMatch(/<script|<b>/);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'; img-src 'self'; /);
  });

  it.each([
    ['from another machine', { remoteAddress: '192.0.2.1' }],
    ['under another name', { host: 'rebound.evil.test' }],
    ['if mails go to a server', { mail: false }],
    ['through a proxy', { more: { 'x-forwarded-for': '192.0.2.1' } }],
    ['through a proxy that sends its own headers', { more: { 'x-forwarded-proto': 'https' } }],
    ['through a proxy that sends the standard header', { more: { forwarded: 'for=192.0.2.1' } }],
  ])('are not shown %s', async (_, options) => {
    for (const path of ['/dev/mail', `/dev/mail/${name}`]) expect((await open(path, options)).statusCode).toBe(404);
  });

  it.each(['other.txt', '..%2fother.txt', '01990000-0000-7000-8000-000000000002.eml'])(
    'do not include the file %s',
    async (file) => {
      expect((await open(`/dev/mail/${file}`)).statusCode).toBe(404);
    },
  );
});
