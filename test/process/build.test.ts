// The programs that `npm run build` writes: what they load by name or address, and the places in their stacks.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPrograms } from '../../scripts/build/build-programs.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { testImages } from '../support/images.ts';
import { bearer, restClient } from '../support/rest-client.ts';
import { emptyFolder, endProcesses, PROJECT, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

const run = promisify(execFile);

// In node_modules, as an installed package is. Node refuses to strip types there.
const folder = mkdtempSync(join(PROJECT, 'node_modules/.cache/build-'));
let database: TestDatabase | undefined;

beforeAll(() => buildPrograms(folder), 240_000);
afterAll(async () => {
  await endProcesses();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

it('migrates, serves the demo and shows the sources in stack traces', async () => {
  const service = startProgram('built gateway', {
    project: folder,
    settings: { ...SHOP_SETTINGS, 'app.env': 'DEV', 'app.database.url': 'sqlite:service.db' },
  });
  const { http } = await service.ready();
  expect(await (await fetch(`${http}/demo`)).text()).toContain('<html');
  expect((await fetch(`${http}/login`)).status).toBe(200);
  const rest = restClient(http);
  const login = { username: 'alice@acme.test', password: 'demo-password-1' };
  const { accessToken } = (await rest.login(login)).body;
  const changed = await rest.send('PUT', '/api/v1/account/password', {
    headers: { ...bearer(accessToken), 'content-type': 'application/json' },
    body: JSON.stringify({ currentPassword: login.password, newPassword: 'counterstrike' }),
  });
  expect(changed).toMatchObject({ status: 400, text: expect.stringContaining('most common passwords') });
  const { stackTrace } = (await rest.login({ ...login, password: 'wrong' })).body;
  expect(stackTrace).toMatch(/\(src\/auth\/identity\/authentication\/[\w-]+\.ts:\d+:\d+\)/);
  expect(stackTrace).not.toContain('chunks/');
  expect(await service.stop()).toEqual({ code: 0, signal: null });
}, 120_000);

it('serves as a core and as workers on a database server', async () => {
  database = await createTestDatabase(SERVER_ENGINE);
  const settings = { ...SHOP_SETTINGS, 'app.database.url': database.url };
  const core = startProgram('built core', { project: folder, settings });
  const { rpc } = await core.ready();
  const gateway = startProgram('built gateway', {
    project: folder,
    settings: { ...settings, 'app.gateway.core': `dns:///${rpc}`, 'app.workers': '2' },
  });
  const { http } = await gateway.ready();
  expect((await fetch(`${http}/.well-known/jwks.json`)).status).toBe(200);
}, 120_000);

it('runs the command line', async () => {
  const cwd = emptyFolder();
  const cli = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, [join(folder, 'cli/main.js'), ...args], { cwd });
    return stdout;
  };
  expect(await cli('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await cli('migrate', 'up', '--app.env=DEV', '--app.database.url=sqlite:service.db')).toMatch(
    /0001_tenants\.ts/,
  );
}, 120_000);

it('encodes an image in a process', async () => {
  const { webp } = await testImages();
  const cwd = emptyFolder();
  const source = await open(join(cwd, 'source'), 'wx+');
  const target = await open(join(cwd, 'target'), 'wx+');
  await source.writeFile(webp);
  const program = join(folder, 'src/platform/files/encode-program.js');
  const child = spawn(process.execPath, [program, 'image/webp', '1', '3'], {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', source.fd, target.fd],
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect((await target.stat()).size).toBeGreaterThan(0);
  await source.close();
  await target.close();
});
