// The first start: one command in an empty folder, and its output.
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { beginLogin, finishLogin } from '../../client/demo/relying-party.ts';
import { bearer, restClient, sessionOf } from '../support/rest-client.ts';
import {
  emptyFolder,
  endProcesses,
  freePort,
  FREE_PORTS,
  PROJECT,
  startProgram,
  type ServiceProcess,
  type SettingFlags,
} from '../support/service-process.ts';

const bash = (command: string) => promisify(execFile)('bash', ['-c', command]);

const startDev = (folder: string, settings: SettingFlags = {}): ServiceProcess =>
  startProgram('npm run dev', {
    settings: { ...FREE_PORTS, 'app.database.url': `sqlite:${join(folder, 'data/service.db')}`, ...settings },
  });

/** The name that front ends have: to a browser, 127.0.0.1 is another site, without the refresh cookie. */
const atLocalhost = (url: string): string => url.replace('127.0.0.1', 'localhost');

/** The commands of the start page, as a person copies them. */
async function startPageCommands(http: string): Promise<string[]> {
  const page = await (await fetch(atLocalhost(http))).text();
  const unescaped = (text: string) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return [...page.matchAll(/<code>(curl [^]*?)<\/code>/g)].map(([, command]) => unescaped(command!));
}

/** The block of a document that shows the end of the output, with all ports alike. */
function documentedEnd(page: string): string {
  const text = readFileSync(join(PROJECT, page), 'utf8');
  return withoutPorts(/```text\n(Console .*?)```/s.exec(text)![1]!);
}

const withoutPorts = (text: string): string => text.replaceAll(/:\d{4,5}\b/g, ':PORT');

const PATIENCE = { timeout: 50_000 };
const COLUMNS = 80;
const ROWS = 24;

afterEach(endProcesses);

describe('npm run dev', () => {
  it('ends with the addresses and the account that the documents show, on one screen of 80 x 24', async () => {
    const settings = { 'app.log.format': 'pretty', 'app.http.port': await freePort() };
    const service = startDev(emptyFolder(), settings);
    await expect.poll(() => service.output(), PATIENCE).toMatch(/^More .*\n/m);
    const output = service.output();
    const [log, end] = output.split(/\n(?=\nConsole )/) as [string, string];
    expect(log).toMatch(/ ready\b.*\n?$/);
    for (const page of ['README.md', 'docs/getting-started.md'])
      expect(withoutPorts(end.trim())).toBe(documentedEnd(page).trim());
    const lines = end.trim().split('\n');
    expect(lines.length).toBeLessThanOrEqual(8);
    expect(lines.filter((line) => line.length > COLUMNS)).toEqual([]);
    expect(log.match(/migration/g)).toHaveLength(1);
    expect(output).not.toContain('WARN');
    // The last row is that of the cursor.
    const rows = output.split('\n').map((line) => Math.max(1, Math.ceil(line.length / COLUMNS)));
    expect(
      rows.reduce((sum, count) => sum + count, 0),
      output,
    ).toBeLessThanOrEqual(ROWS);
  });

  it('prints JSON alone if its output is piped', async () => {
    const service = startDev(emptyFolder());
    await service.ready();
    // npm itself prints what it runs, unless it is called with --silent.
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('> '));
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg).at(-1)).toBe('ready');
    expect(service.logs().filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('serves a start page with all accounts, and commands that work when they are pasted', async () => {
    const service = startDev(emptyFolder());
    const { http } = await service.ready();
    const page = await (await fetch(http)).text();
    for (const username of ['alice@acme.test', 'gina@globex.test', 'root']) expect(page).toContain(username);
    const [login, account, machine] = (await startPageCommands(http)) as [string, string, string];
    const { stdout } = await bash(`${login} -w '\n%{http_code}'`);
    const [body, status] = stdout.split('\n') as [string, string];
    expect(status).toBe('200');
    const { accessToken } = JSON.parse(body) as { accessToken: string };
    const me = await bash(account.replace('<accessToken>', accessToken));
    expect(JSON.parse(me.stdout)).toMatchObject({ username: 'alice@acme.test', tenantId: 'acme' });
    expect(JSON.parse((await bash(machine)).stdout)).toMatchObject({ access_token: expect.any(String) });
    // The demo strips the types of its scripts, which Node calls experimental.
    expect((await fetch(`${http}/demo/files/demo/main.ts`)).status).toBe(200);
    expect(service.output()).not.toContain('stripTypeScriptTypes is');
  });

  it('serves the demo app, which logs in a user and shows the claims', async () => {
    const issuer = `http://localhost:${await freePort()}`;
    const service = startDev(emptyFolder(), { 'app.http.port': new URL(issuer).port });
    const { http } = await service.ready();
    const page = await fetch(`${http}/demo-app`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/demo/files/demo/demo-app.ts')]);
    for (const file of ['demo-app.ts', 'relying-party.ts'])
      expect((await fetch(`${http}/demo/files/demo/${file}`)).status).toBe(200);
    const party = { issuer, clientId: 'demo-app', redirectUri: `${issuer}/demo-app` };
    const { url, pending } = await beginLogin(party);
    const login = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location')!, url);
    expect(login.pathname).toBe('/login');
    const rest = restClient(issuer);
    const { accessToken } = sessionOf(await rest.login({ username: 'mia@acme.test', password: 'demo-password-1' }));
    const request = `/api/v1/auth/oauth2/requests/${login.searchParams.get('request')}`;
    expect((await rest.send('GET', request)).body).toMatchObject({ application: { name: 'Demo app' } });
    const answer = {
      headers: { ...bearer(accessToken), 'content-type': 'application/json' },
      body: '{"decision":"ALLOW"}',
    };
    const { redirectTo } = (await rest.send('POST', request, answer)).body;
    const callback = new URL(redirectTo);
    expect(callback.origin + callback.pathname).toBe(party.redirectUri);
    const { idToken, userinfo } = await finishLogin(party, callback.searchParams, pending);
    const claims = {
      name: 'Mia Moore',
      email: 'mia@acme.test',
      groups: expect.arrayContaining(['MANAGER']),
      tenantName: 'Acme Flowers',
    };
    expect(userinfo).toMatchObject({ sub: idToken['sub'], ...claims });
    expect(idToken).toMatchObject({ iss: issuer, aud: 'demo-app', ...claims });
    await expect(finishLogin(party, callback.searchParams, { ...pending, state: 'x' })).rejects.toThrow('no login');
  });

  it('warns if other machines can connect', async () => {
    const open = startDev(emptyFolder(), { 'app.http.host': '0.0.0.0' });
    await open.ready();
    expect(open.logs().filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({
        msg: expect.stringMatching(/^app\.http\.host=0\.0\.0\.0 .*other machines can use the demo/),
      }),
    ]);
  });

  it('keeps data, the signing key and sessions across a restart', async () => {
    const folder = emptyFolder();
    const first = startDev(folder);
    const before = restClient((await first.ready()).http);
    const session = sessionOf(await before.login({ username: 'mia@acme.test', password: 'demo-password-1' }));
    const keys = await before.send('GET', '/.well-known/jwks.json');
    const products = await before.send('GET', '/api/v1/products', { headers: bearer(session.accessToken) });
    expect(products.body.length).toBeGreaterThan(10);
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    expect(statSync(join(folder, 'data/key-encryption-key')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data/service.db')).mode & 0o077).toBe(0);

    const second = startDev(folder);
    const after = restClient((await second.ready()).http);
    expect((await after.send('GET', '/.well-known/jwks.json')).body).toEqual(keys.body);
    expect((await after.me(session.accessToken)).body).toMatchObject({ username: 'mia@acme.test' });
    const renewed = sessionOf(await after.refresh(session.cookie));
    const same = await after.send('GET', '/api/v1/products', { headers: bearer(renewed.accessToken) });
    expect(same.body).toEqual(products.body);
    expect((await after.me(renewed.accessToken)).status).toBe(200);
    expect((await after.login({ username: 'root', password: 'demo-password-1' })).status).toBe(200);
  });
});
