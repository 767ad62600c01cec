// The package `authservice` of npm: its content, and its use as in its README, from an empty folder.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands/all.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../support/key-encryption-key.ts';
import {
  emptyFolder,
  endProcesses,
  FREE_PORTS,
  startCommand,
  type ServiceProcess,
  type StartOptions,
} from '../support/service-process.ts';
import { installPackage, onMachine, runNode, type Installed } from './installed.ts';

const LARGEST_BYTES = 15e6;
const OLDER = '20.20.2';
const run = promisify(execFile);
let installed: Installed;

beforeAll(async () => {
  installed = await installPackage();
}, 480_000);
afterEach(endProcesses);
afterAll(() => {
  for (const folder of installed.folders) rmSync(folder, { recursive: true });
});

/** Starts a command of the package, by the link that npm has made. */
function start(command: string, options: StartOptions = {}): ServiceProcess {
  return startCommand([join(installed.folder, 'node_modules/.bin/authservice'), command], options);
}

async function login(url: string, username: string, password: string): Promise<{ status: number; token: string }> {
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { accessToken = '' } = (await response.json()) as { accessToken?: string };
  return { status: response.status, token: accessToken };
}

/** Settings of a production service on SQLite, and its first account. */
function production(): StartOptions {
  const cwd = emptyFolder();
  const accounts = join(cwd, 'accounts.yaml');
  writeFileSync(accounts, 'superAdmins:\n  - { username: root-1, password: a-long-password-1 }\n', { mode: 0o600 });
  const settings = { ...FREE_PORTS, 'app.database.url': 'sqlite:service.db', 'app.bootstrap.file': accounts };
  return { cwd, settings, env: { APP_SECURITY_KEY_ENCRYPTION_KEY: TEST_KEY_ENCRYPTION_KEY.toString('base64') } };
}

describe('the archive', () => {
  it('has JavaScript, data, licences and the README, in less than 15 MB without native parts and Node', () => {
    const { files, bytes, unpackedBytes } = installed.packed;
    console.log(`packed ${bytes} bytes, unpacked ${unpackedBytes}, ${files.length} files`);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'THIRD_PARTY_NOTICES', 'package.json']));
    // The page /demo of DEV is made of the sources of the client.
    const sources = paths.filter((path) => /\.tsx?$/.test(path) && !/^client\/(?:demo|src)\//.test(path));
    expect(sources).toEqual([]);
    expect(paths.filter((path) => /node_modules|\.env|data\//.test(path))).toEqual([]);
    expect(bytes).toBeLessThan(LARGEST_BYTES);
  });
});

it('names the licences of the packages whose code is in the programs and in the pages', () => {
  const text = readFileSync(join(installed.folder, 'node_modules/authservice/THIRD_PARTY_NOTICES'), 'utf8');
  for (const name of ['fastify', 'jose', 'preact', '@preact/signals', 'wouter-preact', '@bufbuild/protobuf'])
    expect(text).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
  // The second text of @bufbuild/protobuf, which stands in the comments that the bundle leaves out.
  expect(text).toContain('Copyright 2008 Google Inc.');
});

describe('npx authservice in the folder of a user', () => {
  it('dev serves REST, pages and the demo from ./data, and the command line calls it', async () => {
    const { folder } = installed;
    const service = startCommand(['npx', 'authservice', 'dev'], { cwd: folder });
    const { http, rpc } = await service.ready();
    const { status, token } = await login(http, 'root', 'demo-password-1');
    expect(status).toBe(200);
    const page = await fetch(`${http}/login`);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const [script] = /\/assets\/login-[\w-]+\.js/.exec(await page.text())!;
    const pages = [script, '/demo', '/docs', '/console', '/openapi.json'];
    const statuses = await Promise.all(pages.map(async (path) => (await fetch(http + path)).status));
    expect(statuses).toEqual(pages.map(() => 200));
    expect(existsSync(join(folder, 'data/service.db'))).toBe(true);

    const env = { ...process.env, AUTHSERVICE_TOKEN: token };
    const { stdout } = await run('npx', ['authservice', 'tenant', 'list', '--core', rpc], { cwd: folder, env });
    expect(stdout).toMatch(/^acme +Acme Flowers/m);
    service.signalGroup('SIGTERM');
    await service.logged('stopped');
    await service.exited;
  });
});

describe('authservice start', () => {
  it('without a database and a key exits with 78 and names the settings', async () => {
    const service = start('start');
    expect(await service.exited).toEqual({ code: 78, signal: null });
    expect(service.output()).toContain('app.database.url');
    expect(service.output()).toContain('app.security.key-encryption-key');
  });

  it('serves with settings of production, and stops in order with SIGTERM', async () => {
    const service = start('start', production());
    const { http, management } = await service.ready();
    expect(await (await fetch(`${management}/health/ready`)).json()).toEqual({ status: 'UP' });
    expect((await login(http, 'root-1', 'a-long-password-1')).status).toBe(200);
    expect((await fetch(`${http}/demo`)).status).toBe(404);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.logs().at(-1)!.msg).toBe('stopped');
  });
});

it('core and gateway are separate processes', async () => {
  const core = start('core', production());
  const { rpc } = await core.ready();
  const settings = { ...FREE_PORTS, 'app.gateway.core': `dns:///${rpc}` };
  const gateway = start('gateway', { settings });
  const { http } = await gateway.ready();
  // On a busy machine, the first connection to the core can take longer than a request may wait: 503.
  const status = async () => (await login(http, 'root-1', 'a-long-password-1')).status;
  await expect.poll(status, { timeout: 60_000 }).toBe(200);
  expect([await gateway.stop(), await core.stop()].map(({ code }) => code)).toEqual([0, 0]);
});

describe('the program', () => {
  it('names the commands that start the service, which are not those of the command line', () => {
    const { SERVICES } = createRequire(import.meta.url)(installed.program) as { SERVICES: Record<string, unknown> };
    const { status, stdout } = runNode([installed.program, '--help'], installed.folder);
    expect(status).toBe(0);
    expect(stdout).toContain('authservice dev, start, core and gateway start the service');
    const starts = Object.keys(SERVICES);
    expect(starts).toEqual(['dev', 'start', 'core', 'gateway']);
    expect(COMMANDS.filter(({ name }) => starts.includes(name.split(' ', 1)[0]!))).toEqual([]);
  });

  it(`on Node ${OLDER} runs on the Node of the package, and passes on signals and exit codes`, async () => {
    const older = onMachine(emptyFolder(), { version: OLDER });
    expect(runNode([...older, installed.program, 'start'], emptyFolder())).toMatchObject({ status: 78, stdout: '' });
    const service = startCommand([process.execPath, ...older, installed.program, 'start'], production());
    const { pid } = await service.logged('ready');
    expect(pid).not.toBe(service.pid);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.isAlive()).toBe(false);
  });

  it('is replaced by the service on a Node that can do so', async () => {
    const service = startCommand([process.execPath, installed.program, 'start'], production());
    expect((await service.logged('ready'))['pid']).toBe(service.pid);
    expect(service.output()).not.toContain('Warning');
  });

  it.each([
    [
      'Windows',
      { platform: 'win32', version: '26.10.0' },
      /^authservice does not run on Windows\. Use .*wsl --install/,
    ],
    ['Alpine', { isMusl: true, version: OLDER }, /^authservice needs Node 26 .*this is Node 20\.20\.2\. .*26-alpine$/],
    ['Linux without optional packages', { version: OLDER }, /without omitting optional packages/],
    ['another system', { platform: 'freebsd', version: OLDER }, /on freebsd \w+ from https:\/\/nodejs\.org$/],
  ])('says in one line what to do on %s', (_name, machine, line) => {
    // Beside no packages.
    const folder = emptyFolder();
    const program = join(folder, 'bin/authservice.cjs');
    cpSync(installed.program, program);
    const { status, stdout, stderr } = runNode([...onMachine(folder, machine), program, 'dev'], folder);
    expect({ status, stdout, lines: stderr.split('\n').length }).toEqual({ status: 1, stdout: '', lines: 2 });
    expect(stderr.trim()).toMatch(line);
  });
});
