// The first start: one command in an empty folder, and its output.
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { bearer, restClient, sessionOf } from '../support/rest-client.ts';
import {
  emptyFolder,
  endProcesses,
  FREE_PORTS,
  startProgram,
  type ServiceProcess,
} from '../support/service-process.ts';

const bash = (command: string) => promisify(execFile)('bash', ['-c', command]);

const startDev = (folder: string): ServiceProcess =>
  startProgram('npm run dev', {
    settings: { ...FREE_PORTS, 'app.database.url': `sqlite:${join(folder, 'data/service.db')}` },
  });

/** The line after the one that begins with this text. */
function lineAfter(output: string, beginning: string): string {
  const lines = output.split('\n');
  return lines[lines.findIndex((line) => line.startsWith(beginning)) + 1]!.trim();
}

afterEach(endProcesses);

describe('npm run dev', () => {
  it('prints URLs, credentials and a working curl command', async () => {
    const service = startDev(emptyFolder());
    const { http, rpc, management } = await service.ready();
    await expect.poll(() => service.output()).toContain('Show your account:');
    const output = service.output();
    // The name that front ends have: to a browser, 127.0.0.1 is another site, without the refresh cookie.
    const [atLocalhost, managementAtLocalhost] = [http, management].map((url) => url.replace('127.0.0.1', 'localhost'));
    expect(output).toContain(`REST        ${atLocalhost}/api/v1\n`);
    expect(output).toContain(`Demo        ${atLocalhost}/demo\n`);
    expect(output).toContain(`Console     ${atLocalhost}/console\n`);
    expect(output).toContain(`gRPC        ${rpc}\n`);
    expect(output).toContain(`Management  ${managementAtLocalhost}/metrics\n`);
    expect(output).toMatch(/alice@acme\.test +acme +ADMIN\n/);
    expect(output).toMatch(/root +- +SUPER_ADMIN\n/);

    const login = lineAfter(output, 'Log in:');
    const { stdout } = await bash(`${login} -w '\n%{http_code}'`);
    const [body, status] = stdout.split('\n') as [string, string];
    expect(status).toBe('200');
    const { accessToken } = JSON.parse(body) as { accessToken: string };
    expect(accessToken).toEqual(expect.any(String));
    // The demo strips the types of its scripts, which Node calls experimental.
    expect((await fetch(`${http}/demo/files/demo/main.ts`)).status).toBe(200);
    expect(service.output()).not.toContain('stripTypeScriptTypes is');
    const me = await bash(lineAfter(output, 'Show your account:').replace('<accessToken>', accessToken));
    expect(JSON.parse(me.stdout)).toMatchObject({ username: 'alice@acme.test', tenantId: 'acme' });
  });

  it('warns in the banner and in the log if other machines can connect', async () => {
    const folder = emptyFolder();
    const settings = { ...FREE_PORTS, 'app.database.url': `sqlite:${join(folder, 'service.db')}` };
    const open = startProgram('npm run dev', { settings: { ...settings, 'app.http.host': '0.0.0.0' } });
    await open.ready();
    await expect.poll(() => open.output()).toContain('Show your account:');
    expect(open.output()).toMatch(/WARNING: app\.http\.host=0\.0\.0\.0 lets other machines connect/);
    expect(open.output()).toContain('other machines can use the demo accounts');
    await open.stop();
    const closed = startProgram('npm run dev', { settings });
    await closed.ready();
    await expect.poll(() => closed.output()).toContain('Show your account:');
    expect(closed.output()).not.toMatch(/other machines/);
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
    expect(second.output()).toContain('demo-password-1');
  });
});
