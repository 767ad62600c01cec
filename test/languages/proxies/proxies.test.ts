// A service without a line of authentication code, behind each proxy with the configuration of the docs.
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IDENTITY_HEADER_NAMES as NAMES } from '../../support/identity-headers.ts';
import { exchangeRaw, rawRequest, sendRaw } from '../../support/raw-http.ts';
import { endProcesses } from '../../support/service-process.ts';
import { startAuthService, startEcho, type AuthService } from './service.ts';
import { example, PROXY_NAMES, startProxy, type ProxyName, type RunningProxy } from './start-proxy.ts';

const DOCS = readFileSync(new URL('../../../docs/forward-authentication.md', import.meta.url), 'utf8');
const FILES = ['nginx.conf', 'verify.conf'];

it.each(['Caddyfile', 'traefik.yaml', 'dynamic.yaml', 'envoy.yaml'])('the docs link to the tested file %s', (name) => {
  expect(example(name)).not.toBe('');
  expect(DOCS).toContain(`](../examples/proxies/${name})`);
});

it.each(FILES)('the docs contain the tested file %s', (name) => {
  expect(DOCS).toContain(`\n${example(name)}\`\`\``);
});

/** What each proxy makes of a response that is none of 200, 401 and 403, and of a gateway that is away. */
const REFUSALS: Readonly<Record<ProxyName, { readonly unavailable: number; readonly away: number }>> = {
  nginx: { unavailable: 500, away: 500 },
  'Caddy of Debian': { unavailable: 503, away: 502 },
  Caddy: { unavailable: 503, away: 502 },
  Traefik: { unavailable: 503, away: 500 },
  Envoy: { unavailable: 503, away: 503 },
};

interface Seen {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

describe.each(PROXY_NAMES)('%s', (name) => {
  let auth: AuthService;
  let echo: Server;
  let proxy: RunningProxy;
  let url: string;

  beforeAll(async () => {
    auth = await startAuthService();
    const service = await startEcho();
    echo = service.server;
    proxy = await startProxy(name, auth, service.port);
    ({ url } = proxy);
  });
  afterAll(async () => {
    await proxy?.stop();
    echo?.close();
    await endProcesses();
  });

  const get = (path: string, token?: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers } });
  const identityOf = ({ headers }: Seen) =>
    Object.fromEntries(Object.entries(headers).filter(([key]) => NAMES.includes(key.replaceAll('_', '-'))));

  it("sends the caller's account to the service", async () => {
    const response = await get('/orders?page=2', await auth.login('zoe@acme.test'));
    expect(response.status).toBe(200);
    const seen = (await response.json()) as Seen;
    expect(seen.url).toBe('/orders?page=2');
    expect(identityOf(seen)).toEqual({
      'remote-user': 'zoe@acme.test',
      'remote-name': 'Zo%C3%AB 100%25',
      'remote-email': 'zoe@acme.test',
      'remote-groups': 'SALES',
      'x-auth-subject': expect.stringMatching(/^[\da-f-]{36}$/),
      'x-auth-tenant': 'acme',
      'x-auth-time': expect.stringMatching(/^\d{10}$/),
      'x-auth-methods': 'pwd',
    });
  });

  it('passes on the credential of the client', async () => {
    const token = await auth.login('zoe@acme.test');
    const { headers } = (await (await get('/orders', token)).json()) as Seen;
    expect(headers['authorization']).toBe(`Bearer ${token}`);
  });

  it('passes on no header that the client has forged, in any spelling', async () => {
    const token = await auth.login('root');
    const forged = [
      ...NAMES.map((key) => `${key}: forged`),
      ...NAMES.map((key) => `${key.replaceAll('-', '_')}: forged`),
      'x-auth_tenant: forged',
      'X_Auth-Tenant: forged',
      'REMOTE_EMAIL: forged',
      'Remote-Email: forged again',
    ];
    const lines = [`Authorization: Bearer ${token}`, ...forged, 'Connection: close'];
    const response = await sendRaw(url, rawRequest('GET /orders HTTP/1.1', lines));
    expect(response.status).toBe(200);
    expect(response.text).not.toContain('forged');
    // A SUPER_ADMIN without tenant and e-mail address.
    expect(identityOf(response.body as Seen)).toEqual({
      'remote-user': 'root',
      'remote-name': 'root',
      'remote-email': '-',
      'remote-groups': 'SUPER_ADMIN',
      'x-auth-subject': expect.stringMatching(/^[\da-f-]{36}$/),
      'x-auth-tenant': '-',
      'x-auth-time': expect.stringMatching(/^\d{10}$/),
      'x-auth-methods': 'pwd',
    });
  });

  it('rejects requests without a credential, with WWW-Authenticate', async () => {
    for (const token of [undefined, 'garbage']) {
      const response = await get('/orders', token);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
    expect((await get('/orders', undefined, { 'remote-user': 'root', cookie: 'MY_SHOP_REFRESH=x' })).status).toBe(401);
  });

  it('requires a permission if configured', async () => {
    expect((await get('/admin/users', await auth.login('zoe@acme.test'))).status).toBe(403);
    const response = await get('/admin/users', await auth.login('ann@acme.test'));
    expect(response.status).toBe(200);
    expect(identityOf((await response.json()) as Seen)).toMatchObject({ 'remote-user': 'ann@acme.test' });
  });

  it('passes a body on, and uses its connection again', async () => {
    const authorization = `Authorization: Bearer ${await auth.login('zoe@acme.test')}`;
    const body = 'x'.repeat(100_000);
    const request = rawRequest('POST /orders HTTP/1.1', [authorization, 'Content-Type: application/json'], body);
    const [first, second] = await exchangeRaw(url, Buffer.concat([request, request]), { responses: 2 });
    expect([first?.status, second?.status]).toEqual([200, 200]);
    expect((second!.body as Seen).body).toBe(body);
  });

  it('rejects the first request after a logout', async () => {
    const token = await auth.login('zoe@acme.test');
    expect((await get('/orders', token)).status).toBe(200);
    await auth.logout(token);
    expect((await get('/orders', token)).status).toBe(401);
  });

  it('rejects requests while the core or the gateway is down', async () => {
    const token = await auth.login('zoe@acme.test');
    await auth.stopCore();
    expect((await get('/orders', token)).status).toBe(REFUSALS[name].unavailable);
    await endProcesses();
    expect((await get('/orders', token)).status).toBe(REFUSALS[name].away);
  });
});
