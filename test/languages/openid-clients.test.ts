// The code of docs/openid-clients.md, against the real service. Users log in in Chromium.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { decodeJwt } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../client/test/support/chromium.ts';
import { emptyFolder, endProcesses, freePort, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';
import { run, start } from './commands.ts';
import { openWorkspace } from './workspace.ts';

const USER = { username: 'alice@acme.test', password: 'correct horse battery staple', name: 'Alice Adams' };
const SECRET = 'a client secret of 32 characters or more';
const AUDIENCE = 'https://api.example.com';
const KEY_ID = 'web-key-1';

const folder = openWorkspace() + '/examples/openid-clients';
const children: ChildProcess[] = [];
const ports = { service: '', web: '', key: '', api: '', spa: '' };
let issuer: string;
let browser: Browser;
let spa: Server;

beforeAll(async () => {
  await install();
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort();
  issuer = `http://127.0.0.1:${ports.service}`;
  const cwd = emptyFolder();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyFile = join(cwd, 'client.key');
  writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  const accounts = join(cwd, 'accounts.yaml');
  // YAML contains JSON.
  writeFileSync(accounts, JSON.stringify({ tenants: [tenant(publicKey.export({ format: 'jwk' }))] }), { mode: 0o600 });
  const settings = {
    ...SHOP_SETTINGS,
    'app.http.port': ports.service,
    'app.public-url': issuer,
    'app.database.url': `sqlite:${join(cwd, 'service.db')}`,
    'app.bootstrap.file': accounts,
  };
  await startProgram('gateway', { settings, cwd }).ready();
  const api = `http://127.0.0.1:${ports.api}`;
  await Promise.all([
    example('api', { PORT: ports.api, AUDIENCE, TENANT: 'acme' }),
    example('web', { PORT: ports.web, CLIENT_ID: 'web', CLIENT_SECRET: SECRET, AUDIENCE, API: api }),
    example('web', { PORT: ports.key, CLIENT_ID: 'web-by-key', CLIENT_KEY: keyFile, CLIENT_KEY_ID: KEY_ID }),
  ]);
  spa = await serveSpa();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  spa?.close();
  for (const child of children) child.kill('SIGKILL');
  await endProcesses();
});

it('a web application logs in a user, and calls the API with the access token', async () => {
  const page = await newPage();
  await page.goto(`http://127.0.0.1:${ports.web}/`);
  await logIn(page);
  const text = await textOf(page, `${ports.web}/callback`);
  expect(text).toMatch(/^Hello Alice Adams, the API knows [0-9a-f-]{36}$/);
  await page.goto(`http://127.0.0.1:${ports.web}/`);
  expect(await textOf(page, `${ports.web}/callback`), 'without a page').toBe(text);
});

it('a web application authenticates by a key', async () => {
  const page = await newPage();
  await page.goto(`http://127.0.0.1:${ports.key}/`);
  await logIn(page);
  expect(await textOf(page, `${ports.key}/callback`)).toBe('Hello Alice Adams');
});

it('a single-page application logs in a user, refreshes its tokens, and loses them with the grant', async () => {
  const page = await newPage();
  await page.goto(`http://127.0.0.1:${ports.spa}/`);
  await logIn(page);
  await page.getByText('Hello Alice Adams').waitFor();
  const renew = () =>
    page.evaluate(async () => {
      const { users } = globalThis as unknown as { users: { signinSilent(): Promise<{ access_token: string }> } };
      return users.signinSilent().then(
        ({ access_token: token }) => token,
        (error: Error) => error.message,
      );
    });
  const claims = decodeJwt(await renew());
  const { gid, aud } = claims;
  expect(aud).toBe(issuer);
  const isRevoked = await followRevocations(claims);
  const response = await fetch(`${issuer}/api/v1/account/grants/${String(gid)}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${await accessToken()}` },
  });
  expect(response.status).toBe(204);
  expect(await renew()).toMatch(/grant/);
  expect(await isRevoked()).toBe(true);
});

it('the API refuses tokens that are not for it', async () => {
  for (const token of [await accessToken(), 'no token', '']) {
    const response = await fetch(`http://127.0.0.1:${ports.api}/`, { headers: { authorization: `Bearer ${token}` } });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  }
});

it('a backend service gets a token', async () => {
  const program = `import { getToken } from './src/backend.ts';
    console.log(JSON.stringify(await getToken(${JSON.stringify(issuer)}, 'nightly', ${JSON.stringify(SECRET)})));`;
  const output = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
  const { access_token: token } = JSON.parse(output) as { access_token: string };
  expect(decodeJwt(token)).toMatchObject({ client_id: 'nightly', tenantId: 'acme' });
});

async function install(): Promise<void> {
  const isInstalled = existsSync(join(folder, 'node_modules/.package-lock.json'));
  if (!isInstalled) await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  await run('npm', ['run', 'types'], { cwd: folder });
}

function tenant(key: object) {
  const application = (clientId: string, port: string, more: object) => ({
    clientId,
    redirectUris: [`http://127.0.0.1:${port}/callback`],
    ...more,
  });
  return {
    id: 'acme',
    name: 'Acme Flowers',
    users: [{ ...USER, roles: ['ADMIN'] }],
    serviceAccounts: [
      { clientId: 'nightly', clientSecret: SECRET, roles: ['TENANT_USER'] },
      { clientId: 'watcher', clientSecret: SECRET, roles: ['TENANT_USER'], resourceServer: true },
    ],
    applications: [
      application('web', ports.web, { type: 'WEB', clientSecret: SECRET, resources: [AUDIENCE] }),
      application('web-by-key', ports.key, { type: 'WEB', jwks: { keys: [{ kid: KEY_ID, ...key }] } }),
      application('spa', ports.spa, { type: 'SPA' }),
    ],
  };
}

/** Starts the example that follows the revocations. Returns a function that waits for that of a token. */
async function followRevocations(claims: object): Promise<() => Promise<boolean>> {
  const program = `import { followRevocations } from './src/revocations.ts';
    const isRevoked = followRevocations(${JSON.stringify(issuer)}, 'watcher', ${JSON.stringify(SECRET)});
    const check = () => { try { return isRevoked(${JSON.stringify(claims)}); } catch { return undefined; } };
    let last;
    for (;;) {
      const now = check();
      if (now !== last) console.log(String(now));
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }`;
  const cwd = join(folder, '../frameworks/node');
  const child = start(process.execPath, ['--input-type=module', '-e', program], { cwd });
  children.push(child);
  const states = createInterface(child.stdout!)[Symbol.asyncIterator]();
  const next = async () => (await states.next()).value === 'true';
  expect(await next(), 'before the end of the grant').toBe(false);
  return next;
}

/** Starts a program of the examples. */
async function example(name: string, env: Readonly<Record<string, string>>): Promise<void> {
  const child = start(process.execPath, ['src/main.ts', name], { cwd: folder, env: { ISSUER: issuer, ...env } });
  children.push(child);
  let output = '';
  child.stderr!.on('data', (text) => (output += text));
  await new Promise<void>((resolve, reject) => {
    child.stdout!.once('data', () => resolve());
    child.once('exit', () => reject(new Error(`${name} ended:\n${output}`)));
  });
}

/** Serves the module of the page to the browser, which bundlers do elsewhere. */
async function serveSpa(): Promise<Server> {
  const modules: Readonly<Record<string, string>> = {
    '/spa.mjs': 'src/spa.mjs',
    '/oidc-client-ts.js': 'node_modules/oidc-client-ts/dist/esm/oidc-client-ts.js',
    '/jwt-decode.js': 'node_modules/jwt-decode/build/esm/index.js',
  };
  const imports = { 'oidc-client-ts': '/oidc-client-ts.js', 'jwt-decode': '/jwt-decode.js' };
  const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
    <body><script type="module">
      import { createUsers, signIn } from '/spa.mjs';
      globalThis.users = createUsers(${JSON.stringify(issuer)}, 'spa');
      const user = await signIn(users);
      if (user) document.body.textContent = 'Hello ' + user.profile.name;
    </script>`;
  const server = createServer((request, response) => {
    const file = modules[new URL(request.url ?? '', 'http://localhost').pathname];
    response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript');
    response.end(file === undefined ? html : readFileSync(join(folder, file)));
  });
  await new Promise<void>((resolve) => server.listen(Number(ports.spa), '127.0.0.1', resolve));
  return server;
}

const newPage = async (): Promise<Page> => (await browser.newContext({ locale: 'en' })).newPage();

/** Logs in, and consents. */
async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill(USER.username);
  await page.getByLabel('Password').fill(USER.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
}

/** Returns the text of the page whose URL has this part. */
async function textOf(page: Page, part: string): Promise<string> {
  await page.waitForURL((url) => url.href.includes(part));
  return page.locator('body').innerText();
}

async function accessToken(): Promise<string> {
  const { username, password } = USER;
  const response = await fetch(`${issuer}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return ((await response.json()) as { accessToken: string }).accessToken;
}
