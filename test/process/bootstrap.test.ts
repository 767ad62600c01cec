// app.bootstrap.file with real processes: two at the same moment, and exit codes.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { pendingMigrations } from '../../src/platform/db/migrate.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createEmptyDatabase, SERVER_ENGINE } from '../support/databases.ts';
import { restClient, type RestClient } from '../support/rest-client.ts';
import {
  emptyFolder,
  endProcesses,
  SHOP_SETTINGS,
  startProgram,
  type ServiceProcess,
} from '../support/service-process.ts';

const SECRET = 'a-client-secret-of-more-than-32-characters';
const FILE = `
superAdmins: [{username: Root, password: root password}]
tenants:
  - id: acme
    name: Acme Flowers
    users:
      - {username: alice@acme.test, password: alice password, name: Alice, email: alice@acme.test, roles: [ADMIN]}
      - {username: bob@acme.test, password: bob password, roles: [MANAGER, FLORIST]}
      - {username: carl@acme.test, password: carl password, roles: [SALES], disabled: true}
      - {username: dora@acme.test, password: dora password, roles: [SALES], accountExpiresAt: 2020-01-01}
      - {username: emil@acme.test, password: emil password, roles: [SALES], credentialsExpireAt: 2020-01-01T12:00:00Z}
    serviceAccounts: [{clientId: acme-sync, clientSecret: ${SECRET}, name: Sync, roles: [MANAGER]}]
  - {id: globex}
`;

afterEach(endProcesses);

function start(url: string, file: string, mode = 0o600, settings: Record<string, string> = {}): ServiceProcess {
  const path = join(emptyFolder(), 'bootstrap.yaml');
  writeFileSync(path, file, { mode });
  return startProgram('gateway', {
    settings: { ...SHOP_SETTINGS, 'app.database.url': url, 'app.bootstrap.file': path, ...settings },
  });
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connectDatabase({ url, poolSize: 1, log: pino({ level: 'silent' }) });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Everything that a bootstrap may write. */
const contents = (url: string) =>
  withDatabase(url, async (database) => ({
    tenants: await database.query('SELECT * FROM tenants ORDER BY id'),
    accounts: await database.query('SELECT * FROM accounts ORDER BY username'),
    secrets: await database.query('SELECT * FROM client_secrets ORDER BY account_id'),
  }));

const outcome = async (rest: RestClient, username: string, password = `${username.split('@')[0]} password`) => {
  const { status, body } = await rest.login({ username, password });
  return status === 200 ? 'welcome' : body.errorCode;
};

const INVALID = `
superAdmins: [{username: root, password: s3cret, role: ADMIN}]
tenants: [{id: acme, users: [{username: b, password: 12345678, roles: [ADMIN]}]}]`;

describe('app.bootstrap.file', () => {
  it('is applied once by two processes that start at once on a database server', async () => {
    const { url, remove } = await createEmptyDatabase(SERVER_ENGINE);
    const services = [start(url, FILE), start(url, FILE)];
    const clients = await Promise.all(services.map(async (service) => restClient((await service.ready()).http)));
    const applied = await Promise.all(services.map((service) => service.logged('bootstrap file applied')));
    const sum = (key: string) => applied.reduce((total, line) => total + Number(line[key]), 0);
    expect([sum('tenants'), sum('accounts')]).toEqual([2, 7]);
    const { tenants, accounts, secrets } = await contents(url);
    expect([tenants.length, accounts.length, secrets.length]).toEqual([2, 7, 1]);
    for (const rest of clients) expect(await outcome(rest, 'bob@acme.test')).toBe('welcome');
    // Both sign with one key.
    const sets = await Promise.all(clients.map((rest) => rest.send('GET', '/.well-known/jwks.json')));
    expect(sets[0]!.body.keys).toHaveLength(1);
    expect(sets[1]!.body).toEqual(sets[0]!.body);
    await endProcesses();
    await remove();
  });

  it('exits with code 78, all problems and no secret before it writes anything if the file is invalid', async () => {
    const file = INVALID;
    const folder = emptyFolder();
    const service = start(`sqlite:${join(folder, 'data/service.db')}`, file);
    expect(await service.exited).toEqual({ code: 78, signal: null });
    const { msg } = service.logs().find(({ level }) => level === 'fatal')!;
    expect(msg.split('\n').slice(1)).toEqual([
      '  - /superAdmins/0: the key role is unknown',
      '  - /tenants/0/users/0/password: must be string',
    ]);
    for (const secret of ['s3cret', '12345678', 'stack']) expect(service.output()).not.toContain(secret);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['SQLite file', async () => ({ url: `sqlite:${join(emptyFolder(), 'data/service.db')}`, remove: async () => {} })],
    ['database of a server', () => createEmptyDatabase(SERVER_ENGINE)],
  ])(
    'exits with code 78 before it writes anything if a new %s would get passwords of the documents',
    async (_what, create) => {
      const { url, remove } = await create();
      const settings = {
        'app.env': 'PROD',
        'app.security.key-encryption-key': Buffer.alloc(32, 1).toString('base64'),
        'app.files.store': `disk:${join(emptyFolder(), 'files')}`,
      };
      const service = start(url, 'superAdmins: [{username: root, password: change-me-please}]', 0o600, settings);
      expect(await service.exited).toEqual({ code: 78, signal: null });
      expect(service.output()).toContain('/superAdmins/0/password: must not be a sample of the documentation');
      if (url.startsWith('sqlite:')) expect(existsSync(url.slice('sqlite:'.length))).toBe(false);
      else expect(await withDatabase(url, pendingMigrations)).toContain('0001_tenants.ts');
      await remove();
    },
  );

  it.each([
    ['roles: [{name: A, inherits: [B]}, {name: B, inherits: [A]}]', '/roles/A/inherits: must not lead back'],
    ['tenants: [{id: acme, roles: [{name: A, permissions: [READ_NOTHING]}]}]', '/tenants/0/roles/A/permissions/0: '],
  ])('exits with code 78 before it writes anything if it has %s', async (file, problem) => {
    const folder = emptyFolder();
    const service = start(`sqlite:${join(folder, 'data/service.db')}`, file);
    expect(await service.exited).toEqual({ code: 78, signal: null });
    expect(service.output()).toContain(problem);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('exits with code 78 if the file is missing', async () => {
    const folder = emptyFolder();
    const service = startProgram('gateway', {
      settings: {
        ...SHOP_SETTINGS,
        'app.database.url': `sqlite:${join(folder, 'data/service.db')}`,
        'app.bootstrap.file': '/none/bootstrap.yaml',
      },
    });
    expect(await service.exited).toEqual({ code: 78, signal: null });
    expect(readdirSync(folder)).toEqual([]);
    expect(service.output()).toContain('app.bootstrap.file /none/bootstrap.yaml cannot be read (ENOENT)');
  });
});
