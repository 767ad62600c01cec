// A database that was used in DEV, started in PROD: the published passwords and client secrets are refused and named.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { operatorEnv, runCli } from '../support/cli.ts';
import { restClient } from '../support/rest-client.ts';
import { emptyFolder, endProcesses, FREE_PORTS, startProgram, type SettingFlags } from '../support/service-process.ts';

const DEMO = { username: 'root', password: 'demo-password-1' };
const CLIENT = { client_id: 'acme-sync', client_secret: 'demo-secret-acme-sync-0123456789abcdef' };

let folder: string;
let url: string;

beforeEach(async () => {
  folder = emptyFolder();
  url = `sqlite:${join(folder, 'data/service.db')}`;
  const dev = await start({ 'app.env': 'DEV' });
  expect((await restClient(dev.url).login(DEMO)).status).toBe(200);
  await dev.service.stop();
});
afterEach(endProcesses);

async function start(settings: SettingFlags) {
  const service = startProgram('gateway', {
    settings: {
      ...FREE_PORTS,
      'app.rpc.enabled': 'false',
      'app.database.url': url,
      'app.files.store': `disk:${join(folder, 'files')}`,
      ...settings,
    },
  });
  return { service, url: (await service.ready()).http };
}

const key = () => readFileSync(join(folder, 'data/key-encryption-key'), 'utf8').trim();

const startProd = (settings: SettingFlags = {}) =>
  start({ 'app.env': 'PROD', 'app.security.key-encryption-key': key(), ...settings });

const operator = () => ({ ...operatorEnv(url), APP_SECURITY_KEY_ENCRYPTION_KEY: key() });

const WARNING = /^these accounts still have the published credentials/;

it.each(['A', 'B'])(
  'PROD refuses them in profile %s on every path, and names the accounts at the start',
  async (profile) => {
    const { service, url: base } = await startProd({ 'app.security.auth-profile': profile });
    const warning = await service.logged(WARNING);
    expect(warning).toMatchObject({ level: 'warn', msg: expect.stringContaining('authservice demo remove') });
    expect(warning['accounts']).toEqual(
      expect.arrayContaining(['root', 'alice@acme.test', 'gina@globex.test', 'acme-sync']),
    );
    expect(service.logs().filter(({ msg }) => WARNING.test(msg))).toHaveLength(1);

    const rest = restClient(base);
    for (const username of ['root', 'alice@acme.test']) {
      const { status, body } = await rest.login({ username, password: DEMO.password });
      expect([status, body.error ?? body.errorCode]).toEqual([
        401,
        profile === 'A' ? 'bad-credentials' : 'AUTH_INVALID_CREDENTIALS',
      ]);
      expect(JSON.stringify(body)).toContain('a published sample, which app.env=PROD refuses');
    }
    for (const [path, fields] of [
      ['token', { grant_type: 'client_credentials' }],
      ['introspect', { token: 'x' }],
      ['revoke', { token: 'x' }],
    ] as const) {
      const form = new URLSearchParams({ ...fields, ...CLIENT });
      const response = await fetch(`${base}/api/v1/auth/${path}`, { method: 'POST', body: form });
      expect([path, response.status, ((await response.json()) as { error: string }).error]).toEqual([
        path,
        401,
        'invalid_client',
      ]);
    }
  },
);

it('demo remove ends everything of the demo, and PROD starts without a warning', async () => {
  const env = operator();
  const listed = await runCli(['demo', 'list', '--json'], { env });
  expect(JSON.parse(listed.out)).toHaveLength(8);
  expect(await runCli(['demo', 'remove'], { env })).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^this deletes the demo users .*; confirm with --yes\n$/),
  });
  expect(await runCli(['demo', 'remove', '--yes'], { env })).toEqual({
    code: 0,
    out: '8 demo accounts removed, 2 demo tenants erased\n',
    error: '',
  });
  expect(await runCli(['demo', 'remove', '--yes'], { env })).toMatchObject({
    code: 0,
    out: '0 demo accounts removed, 0 demo tenants erased\n',
  });
  expect(JSON.parse((await runCli(['tenant', 'list', '--local', '--json'], { env })).out)).toEqual([]);
  expect(JSON.parse((await runCli(['user', 'list', '--local', '--json'], { env })).out)).toEqual([]);
  const audit = JSON.parse((await runCli(['audit', 'list', '--local', '--json'], { env })).out) as { event: string }[];
  expect(audit.map(({ event }) => event)).toEqual(expect.arrayContaining(['account.deleted', 'tenant.erased']));

  const { service } = await startProd();
  expect(service.logs().filter(({ msg }) => WARNING.test(msg))).toEqual([]);
});

it('demo remove keeps accounts that have another password, and their tenant', async () => {
  const env = operator();
  const secrets = ['Correct horse 42', 'Correct horse 42'];
  await runCli(['user', 'password', 'alice@acme.test', '--local', '--yes'], { env, secrets });
  expect((await runCli(['demo', 'remove', '--yes'], { env })).out).toBe(
    '7 demo accounts removed, 1 demo tenants erased\n',
  );
  const users = JSON.parse((await runCli(['user', 'list', '--local', '--json'], { env })).out) as {
    username: string;
  }[];
  expect(users.map(({ username }) => username)).toEqual(['alice@acme.test']);

  const { service, url: base } = await startProd();
  expect(service.logs().filter(({ msg }) => WARNING.test(msg))).toEqual([]);
  expect((await restClient(base).login({ username: 'alice@acme.test', password: secrets[0] })).status).toBe(200);
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...CLIENT });
  expect((await fetch(`${base}/api/v1/auth/token`, { method: 'POST', body: form })).status).toBe(401);
});

it('demo remove keeps a client that has its own secret, and its tenant', async () => {
  const { service, url: base } = await start({ 'app.env': 'DEV' });
  const env = operator();
  const { accessToken } = (await restClient(base).login({ ...DEMO, username: 'alice@acme.test' })).body;
  const headers = { authorization: `Bearer ${accessToken}` };
  const clients = (await (await fetch(`${base}/api/v1/service-accounts`, { headers })).json()) as { id: string }[];
  const added = await fetch(`${base}/api/v1/service-accounts/${clients[0]!.id}/secrets`, { method: 'POST', headers });
  const { clientSecret } = (await added.json()) as { clientSecret: string };
  await service.stop();

  const listed = JSON.parse((await runCli(['demo', 'list', '--json'], { env })).out) as { username: string }[];
  expect(listed.find(({ username }) => username === CLIENT.client_id)).toMatchObject({ removal: 'its secret' });
  expect((await runCli(['demo', 'remove', '--yes'], { env })).out).toBe(
    '8 demo accounts removed, 1 demo tenants erased\n',
  );

  const { url: prod } = await startProd();
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...CLIENT, client_secret: clientSecret });
  expect((await fetch(`${prod}/api/v1/auth/token`, { method: 'POST', body })).status).toBe(200);
});

it('demo remove keeps an active tenant without accounts, and erases a suspended one', async () => {
  const env = operator();
  await runCli(['user', 'delete', 'gina@globex.test', '--local', '--yes'], { env });
  const remove = async () => (await runCli(['demo', 'remove', '--yes'], { env })).out;
  expect(await remove()).toBe('7 demo accounts removed, 1 demo tenants erased\n');
  await runCli(['tenant', 'suspend', 'globex', '--local', '--yes'], { env });
  expect(await remove()).toBe('0 demo accounts removed, 1 demo tenants erased\n');
});

it('a bootstrap file with a published client secret stops the start in PROD', async () => {
  const { applyBootstrap } = await import('../../src/composition/bootstrap/apply.ts');
  const account = { clientId: 'sync', clientSecret: CLIENT.client_secret, roles: ['MANAGER' as const] };
  const dependencies = {
    accounts: { findByUsername: async () => undefined },
    checkPassword: async () => undefined,
    refuseSamples: true,
  };
  await expect(applyBootstrap({ serviceAccounts: [account] }, dependencies as never)).rejects.toThrow(
    '/serviceAccounts/0/clientSecret: must not be a sample of the documentation',
  );
});
