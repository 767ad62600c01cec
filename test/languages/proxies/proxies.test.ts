// A service without a line of authentication code, behind nginx, Caddy and Envoy with the configurations of the docs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeRaw, rawRequest, sendRaw } from '../../support/raw-http.ts';
import { emptyFolder, endProcesses, freePort } from '../../support/service-process.ts';
import { envoyProgram } from '../envoy-program.ts';
import { programOf, start } from './programs.ts';
import { startAuthService, startEcho, type AuthService } from './service.ts';

const EXAMPLES = new URL('../../../examples/proxies/', import.meta.url);
const DOCS = readFileSync(new URL('../../../docs/forward-authentication.md', import.meta.url), 'utf8');
const FILES = ['nginx.conf', 'verify.conf', 'Caddyfile', 'traefik.yaml', 'envoy.yaml'];
const NAMES: readonly string[] = [
  'remote-user',
  'remote-name',
  'remote-email',
  'remote-groups',
  'x-auth-subject',
  'x-auth-tenant',
];

const example = (name: string) => readFileSync(new URL(name, EXAMPLES), 'utf8');

it.each(FILES)('the docs contain the tested file %s', (name) => {
  expect(DOCS).toContain(`\n${example(name)}\`\`\``);
});

interface Ports {
  readonly listen: number;
  readonly auth: number;
  readonly service: number;
  /** Path of the core's Unix socket. */
  readonly core: string;
}

/** The configuration of an example, at the ports of this run. */
const configured = (name: string, { listen, auth, service, core }: Ports) =>
  example(name)
    .replaceAll(/(:|port_value: )8000/g, `$1${listen}`)
    .replaceAll(':8080', `:${auth}`)
    .replaceAll(/(:|port_value: )3000/g, `$1${service}`)
    .replaceAll('path: /run/auth/core.sock', `path: ${core}`);

const PROXIES = {
  nginx(folder: string, ports: Ports) {
    writeFileSync(join(folder, 'verify.conf'), example('verify.conf'));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `    ${kind}_temp_path ${join(folder, kind)};\n`,
    );
    // What the package's own configuration has, at other places: this process may not write there.
    const configuration = configured('nginx.conf', ports).replace(
      'http {\n',
      `http {\n    access_log off;\n${temporary.join('')}`,
    );
    const own = `user root;\ndaemon off;\nerror_log stderr;\npid ${join(folder, 'nginx.pid')};\n`;
    writeFileSync(join(folder, 'nginx.conf'), own + configuration);
    return ['-p', folder, '-c', join(folder, 'nginx.conf')];
  },
  caddy(folder: string, ports: Ports) {
    writeFileSync(join(folder, 'Caddyfile'), configured('Caddyfile', ports));
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  },
  envoy(folder: string, ports: Ports) {
    writeFileSync(join(folder, 'envoy.yaml'), configured('envoy.yaml', ports));
    return ['-c', join(folder, 'envoy.yaml'), '--base-id', String(ports.listen), '--concurrency', '1'];
  },
} as const;

/** What each proxy makes of a response that is none of 200, 401 and 403, and of a gateway that is away. */
const REFUSALS = {
  nginx: { unavailable: 500, away: 500 },
  caddy: { unavailable: 503, away: 502 },
  envoy: { unavailable: 503, away: 503 },
} as const;

interface Seen {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

describe.each(['nginx', 'caddy', 'envoy'] as const)('%s', (name) => {
  let auth: AuthService;
  let echo: Server;
  let url: string;
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    const program = name === 'envoy' ? await envoyProgram() : programOf(name);
    auth = await startAuthService();
    const service = await startEcho();
    echo = service.server;
    const folder = emptyFolder();
    mkdirSync(join(folder, 'logs'));
    const listen = Number(await freePort());
    const core = auth.core.replace(/^unix:/, '');
    const ports = { listen, auth: auth.port, service: service.port, core };
    stop = await start(program, PROXIES[name](folder, ports), listen, folder);
    url = `http://127.0.0.1:${listen}`;
  });
  afterAll(async () => {
    await stop?.();
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
    });
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
    const identity = identityOf(response.body as Seen);
    expect(identity).toMatchObject({ 'remote-user': 'root', 'remote-groups': 'SUPER_ADMIN' });
    expect([identity['remote-email'], identity['x-auth-tenant']]).toEqual([undefined, undefined]);
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

  it.each(['//admin/users', '/./admin/users', '/orders/../admin/users', '/%61dmin/users', '/admin%2fusers'])(
    'asks for the permission of %s, too',
    async (path) => {
      const authorization = `Authorization: Bearer ${await auth.login('zoe@acme.test')}`;
      const response = await sendRaw(url, rawRequest(`GET ${path} HTTP/1.1`, [authorization, 'Connection: close']));
      expect([400, 403]).toContain(response.status);
    },
  );

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
