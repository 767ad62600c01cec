// The required settings of a production start, and the errors of a failing one.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { restClient } from '../support/rest-client.ts';
import {
  emptyFolder,
  endProcesses,
  FREE_PORTS,
  PROJECT,
  SHOP_SETTINGS,
  startProgram,
  type ServiceProcess,
} from '../support/service-process.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');
const PASSWORD = 'Production password 1';

afterEach(endProcesses);

const production = (folder: string, more: Record<string, string> = {}) => ({
  cwd: folder,
  settings: {
    ...FREE_PORTS,
    'app.database.url': 'sqlite:data/service.db',
    'app.security.key-encryption-key': KEY,
    ...more,
  },
});

/** What a process said that ended by itself, unsuccessfully and without a stack trace. */
async function refusal(service: ServiceProcess, code: number): Promise<string> {
  expect(await service.exited).toEqual({ code, signal: null });
  const output = service.output();
  expect(output).not.toMatch(/^ *at |\\n *at |node:internal/m);
  return output;
}

describe('a start without configuration', () => {
  it('reports all missing settings with accepted values, and creates no files', async () => {
    const folder = emptyFolder();
    const output = await refusal(startProgram('gateway', { cwd: folder, settings: {} }), 78);
    expect(output).toContain('2 problems');
    expect(output).toMatch(
      /app\.security\.key-encryption-key: .*openssl rand -base64 32.*APP_SECURITY_KEY_ENCRYPTION_KEY/,
    );
    expect(output).toMatch(/app\.database\.url: .*mysql:\/\/user:password@host:3306\/database.*sqlite:PATH/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports the same from npm start', async () => {
    const before = existsSync(join(PROJECT, 'data'));
    const output = await refusal(startProgram('npm start', { settings: {} }), 78);
    expect(output).toContain('app.security.key-encryption-key');
    expect(output).toContain('app.database.url');
    expect(existsSync(join(PROJECT, 'data'))).toBe(before);
  });

  it('needs no further setting for a gateway with a remote core', async () => {
    const service = startProgram('gateway', { settings: { ...FREE_PORTS, 'app.gateway.core': 'ipv4:127.0.0.1:1' } });
    expect((await service.ready()).rpc).toBe('ipv4:127.0.0.1:1');
  });
});

describe('a start in production', () => {
  it('serves with the given settings and the safe defaults', async () => {
    const folder = emptyFolder();
    const bootstrap = join(folder, 'bootstrap.yaml');
    writeFileSync(bootstrap, `superAdmins: [{username: root, password: ${PASSWORD}}]\n`);
    const service = startProgram('gateway', production(folder, { 'app.bootstrap.file': bootstrap }));
    const rest = restClient((await service.ready()).http);

    const login = await rest.login({ username: 'root', password: PASSWORD });
    expect(login.cookies).toEqual([
      {
        name: 'SERVICE_REFRESH',
        value: expect.any(String),
        attributes: { httponly: true, secure: true, samesite: 'Lax', path: '/api/v1/auth' },
      },
    ]);
    expect((await rest.login({ username: 'alice@acme.test', password: 'demo-password-1' })).status).toBe(401);
    const foreign = await rest.send('OPTIONS', '/api/v1/auth/login', {
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    });
    expect(foreign.headers.has('access-control-allow-origin')).toBe(false);

    const output = service.output();
    expect(output).toContain('app.api.error-disclosure.mode is maximal');
    for (const secret of [KEY, PASSWORD, 'demo-password']) expect(output).not.toContain(secret);
    expect(readdirSync(folder).toSorted()).toEqual(['bootstrap.yaml', 'data']);
    expect(readdirSync(join(folder, 'data')).filter((name) => !name.startsWith('service.db'))).toEqual(['files']);
  });

  it('reads its settings from the environment, through npm start, and serves the pages that were built ahead', async () => {
    const env = {
      APP_DATABASE_URL: `sqlite:${join(emptyFolder(), 'service.db')}`,
      APP_SECURITY_KEY_ENCRYPTION_KEY: KEY,
      APP_PUBLIC_URL: 'https://auth.shop.example',
      APP_HTTP_PAGES: 'true',
      APP_HTTP_DOCS: 'true',
    };
    const { http } = await startProgram('npm start', { env }).ready();
    expect((await fetch(`${http}/health/ready`)).status).toBe(200);
    for (const page of ['login', 'account', 'console', 'docs']) {
      const html = await (await fetch(`${http}/${page}`)).text();
      const files = [...html.matchAll(/(?:src|href)="([^"]*assets[^"]*)"/g)].map(([, path]) => path!);
      expect(files.length).toBeGreaterThan(1);
      for (const path of files)
        expect([path, (await fetch(new URL(path, `${http}/${page}`))).status]).toEqual([path, 200]);
    }
  });

  it('refuses a folder for files that cannot be created, before it writes anything', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'file'), '');
    const settings = production(folder, { 'app.files.store': 'disk:file/files' });
    const output = await refusal(startProgram('gateway', settings), 78);
    expect(output).toContain(
      'The folder file/files for files cannot be made (ENOTDIR); give app.files.store=disk:FOLDER',
    );
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('checks that the key-encryption key belongs to the database', async () => {
    const folder = emptyFolder();
    const first = startProgram('gateway', production(folder));
    await first.ready();
    await first.stop();
    const other = Buffer.alloc(32, 2).toString('base64');
    const output = await refusal(
      startProgram('gateway', production(folder, { 'app.security.key-encryption-key': other })),
      78,
    );
    expect(output).toMatch(
      /encrypted with another app\.security\.key-encryption-key: start with the one that this database was set up with/,
    );
    expect(output).not.toContain(other);
    await startProgram('gateway', production(folder)).ready();
  });
});

describe('rotation-mode=reusable', () => {
  const reusable = { 'app.security.refresh-session.rotation-mode': 'reusable' };

  it.each(['PROD', 'TEST'])('stops a start in %s', async (env) => {
    const folder = emptyFolder();
    const service = startProgram('gateway', {
      cwd: folder,
      settings: { ...SHOP_SETTINGS, ...reusable, 'app.env': env, 'app.database.url': 'sqlite:x.db' },
    });
    const output = await refusal(service, 78);
    expect(output).toMatch(/rotation-mode: `reusable` is accepted only with app\.env=DEV/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('works in DEV', async () => {
    const service = startProgram('gateway', {
      cwd: emptyFolder(),
      settings: { ...FREE_PORTS, ...reusable, 'app.env': 'DEV' },
    });
    const rest = restClient((await service.ready()).http);
    const login = await rest.login({ username: 'sam@acme.test', password: 'demo-password-1' });
    const cookie = `${login.cookies[0]!.name}=${login.cookies[0]!.value}`;
    expect((await rest.refresh(cookie)).status).toBe(200);
    const again = await rest.refresh(cookie);
    expect(again.status).toBe(200);
    expect(`${again.cookies[0]!.name}=${again.cookies[0]!.value}`).toBe(cookie);
  });
});

describe('an address in use', () => {
  async function occupied(): Promise<{ server: Server; port: string }> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { server, port: String((server.address() as AddressInfo).port) };
  }

  it.each(['app.http.port', 'app.rpc.port', 'app.management.port'])('is reported with its setting %s', async (name) => {
    const { server, port } = await occupied();
    const output = await refusal(startProgram('gateway', production(emptyFolder(), { [name]: port })), 1);
    expect(output).toContain(
      `the start failed: 127.0.0.1:${port} is in use; stop the program that listens there, or set ${name}`,
    );
    server.close();
  });

  it('is reported together with all others', async () => {
    const names = ['app.http.port', 'app.rpc.port', 'app.management.port'];
    const all = await Promise.all(names.map(occupied));
    const settings = Object.fromEntries(names.map((name, index) => [name, all[index]!.port]));
    const output = await refusal(startProgram('gateway', production(emptyFolder(), settings)), 1);
    const [line] = output.split('\n').filter((text) => text.includes('the start failed'));
    for (const [index, { server, port }] of all.entries()) {
      expect(line).toContain(
        `127.0.0.1:${port} is in use; stop the program that listens there, or set ${names[index]}`,
      );
      server.close();
    }
  });

  it('is reported if it is a Unix socket', async () => {
    const path = join(emptyFolder(), 'rpc.sock');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const output = await refusal(
      startProgram('gateway', production(emptyFolder(), { 'app.rpc.host': `unix:${path}` })),
      1,
    );
    expect(output).toContain(`${path} is in use; stop the program that listens there, or set app.rpc.host`);
    server.close();
  });
});
