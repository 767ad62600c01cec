// app.bootstrap.file: what is missing is created, what is there is left alone, and a file with faults stops the start.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { readBootstrapPlan } from '../../src/bootstrap/plan-file.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/types.ts';
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

describe('a bootstrap file', () => {
  it('creates service accounts without a tenant, which get no token while tenants are isolated', async () => {
    const url = `sqlite:${join(emptyFolder(), 'service.db')}`;
    const file = `serviceAccounts: [{clientId: platform-sync, clientSecret: ${SECRET}, name: Sync, roles: [SUPER_ADMIN]}]`;
    const grant = async (service: ServiceProcess) => {
      const { status, body } = await restClient((await service.ready()).http).postJson('/api/v1/auth/token', {
        grant_type: 'client_credentials',
        client_id: 'platform-sync',
        client_secret: SECRET,
      });
      return [status, body.errorCode ?? body.token_type];
    };
    const isolated = start(url, file);
    expect(await grant(isolated)).toEqual([401, 'invalid_client']);
    expect(await isolated.logged('bootstrap file applied')).toMatchObject({
      created: 1,
      existing: 0,
      skipped: 0,
    });
    await isolated.stop();
    const open = start(url, file, 0o600, { 'app.tenancy.isolation': 'false' });
    expect(await grant(open)).toEqual([200, 'Bearer']);
    expect(await open.logged('bootstrap file applied')).toMatchObject({ created: 0, existing: 1, skipped: 0 });
    const [row] = (await contents(url)).accounts as { tenant_id: Uint8Array; interactive: number; roles: string }[];
    expect([row!.tenant_id.length, row!.interactive, row!.roles]).toEqual([0, 0, 'SUPER_ADMIN']);
  });

  it('creates tenants, users, super admins and service accounts', async () => {
    const url = `sqlite:${join(emptyFolder(), 'service.db')}`;
    const service = start(url, FILE);
    const rest = restClient((await service.ready()).http);
    expect(await service.logged('bootstrap file applied')).toMatchObject({
      tenants: 2,
      accounts: 7,
      created: 7,
      existing: 0,
      skipped: 0,
    });

    const login = await rest.login({ username: 'alice@acme.test', password: 'alice password' });
    expect((await rest.me(login.body.accessToken)).body).toMatchObject({
      username: 'alice@acme.test',
      name: 'Alice',
      email: 'alice@acme.test',
      tenantId: 'acme',
      roles: expect.arrayContaining(['ROLE_ADMIN', 'ROLE_OWNER']),
    });
    const root = await rest.login({ username: 'root', password: 'root password' });
    expect((await rest.me(root.body.accessToken)).body).toMatchObject({
      username: 'root',
      roles: ['ROLE_SUPER_ADMIN'],
    });
    expect((await rest.me(root.body.accessToken)).body).not.toHaveProperty('tenantId');
    expect(await outcome(rest, 'bob@acme.test')).toBe('welcome');
    expect(await outcome(rest, 'carl@acme.test')).toBe('account-disabled');
    expect(await outcome(rest, 'dora@acme.test')).toBe('account-expired');
    expect(await outcome(rest, 'emil@acme.test')).toBe('credentials-expired');
    expect(await outcome(rest, 'acme-sync', SECRET)).toBe('login-policy-rejected');

    const { secrets } = await contents(url);
    expect(secrets).toHaveLength(1);
    expect(JSON.stringify(secrets)).not.toContain(SECRET);
    for (const secret of [SECRET, 'alice password', 'root password']) expect(service.output()).not.toContain(secret);
  });

  it('changes nothing if all records exist, in any state', async () => {
    const url = `sqlite:${join(emptyFolder(), 'service.db')}`;
    const first = start(url, FILE);
    await first.ready();
    await first.stop();
    await withDatabase(url, async (database) => {
      const set = (what: string, who: string) =>
        database.execute(`UPDATE accounts SET ${what} WHERE username = ?`, [Buffer.from(who)]);
      await set('disabled = 1', 'bob@acme.test');
      await set('disabled = 0', 'carl@acme.test');
      await set(`locked_until = ${Date.now() + 900_000}, login_failed_count = 5`, 'alice@acme.test');
      await set("account_expires_at = NULL, roles = 'OWNER'", 'dora@acme.test');
      await database.execute("UPDATE tenants SET status = 'SUSPENDED' WHERE id = ?", [Buffer.from('globex')]);
    });
    const before = await contents(url);

    const second = start(url, FILE.replaceAll(' password,', ' other password,').replace('Acme Flowers', 'Acme Weeds'));
    const rest = restClient((await second.ready()).http);
    expect(await second.logged('bootstrap file applied')).toMatchObject({
      tenants: 0,
      accounts: 0,
      existing: 7,
    });
    expect(await contents(url)).toEqual(before);
    expect(await outcome(rest, 'bob@acme.test')).toBe('account-disabled');
    expect(await outcome(rest, 'carl@acme.test')).toBe('welcome');
    expect(await outcome(rest, 'alice@acme.test')).toBe('account-locked');
    expect(await outcome(rest, 'dora@acme.test', 'dora other password')).toBe('bad-credentials');
  });

  it('adds missing records and keeps existing ones', async () => {
    const url = `sqlite:${join(emptyFolder(), 'service.db')}`;
    const first = start(
      url,
      'tenants: [{id: acme, users: [{username: alice@acme.test, password: alice password, roles: [ADMIN]}]}]',
    );
    await first.ready();
    await first.stop();
    const second = start(url, FILE);
    await second.ready();
    expect(await second.logged('bootstrap file applied')).toMatchObject({ tenants: 1, accounts: 6 });
  });

  it('moves no account to another tenant', async () => {
    const url = `sqlite:${join(emptyFolder(), 'service.db')}`;
    const first = start(url, FILE);
    await first.ready();
    await first.stop();
    const second = start(
      url,
      `tenants:
  - id: other
    users:
      - {username: ALICE@acme.test, password: p, roles: [ADMIN]}
      - {username: new@acme.test, password: new password of mine, roles: [ADMIN]}`,
    );
    const rest = restClient((await second.ready()).http);
    expect(await second.logged('bootstrap file applied')).toMatchObject({
      tenants: 1,
      created: 1,
      existing: 0,
      skipped: 1,
    });
    expect(await second.logged('bootstrap account skipped: its username exists in another tenant')).toMatchObject({
      level: 'error',
      place: '/tenants/0/users/0',
      username: 'alice@acme.test',
      tenantId: 'other',
    });
    expect(await outcome(rest, 'alice@acme.test')).toBe('welcome');
    expect(await outcome(rest, 'new@acme.test', 'new password of mine')).toBe('welcome');
  });

  it('gives login domains to tenants and skips what belongs to others', async () => {
    const url = `sqlite:${join(emptyFolder(), 'service.db')}`;
    const first = start(url, 'tenants: [{id: acme, loginDomains: [ACME.test]}, {id: globex}]');
    await first.ready();
    expect(await first.logged('bootstrap file applied')).toMatchObject({ tenants: 2, loginDomains: 1 });
    await first.stop();
    const second = start(
      url,
      `tenants:
  - id: globex
    loginDomains: [acme.test, bücher.example]
    users: [{username: eve@acme.test, password: eve password of hers, roles: [ADMIN]}]
    serviceAccounts: [{clientId: sync@bücher.example, clientSecret: ${SECRET}, roles: [MANAGER]}]`,
    );
    await second.ready();
    expect(await second.logged('bootstrap file applied')).toMatchObject({
      tenants: 0,
      loginDomains: 1,
      created: 1,
      skipped: 1,
    });
    expect(await second.logged('login domain skipped: another tenant owns it')).toMatchObject({
      level: 'error',
      tenantId: 'globex',
      domain: 'acme.test',
    });
    const skipped = 'bootstrap account skipped: its username lies under a login domain of another tenant';
    expect(await second.logged(skipped)).toMatchObject({
      level: 'error',
      username: 'eve@acme.test',
      tenantId: 'globex',
    });
  });

  it('stops the start where the password of a new account does not meet the policy', async () => {
    const url = `sqlite:${join(emptyFolder(), 'service.db')}`;
    const file = `
superAdmins: [{username: root, password: Qwerty123456}]
tenants:
  - id: acme
    users:
      - {username: alice@acme.test, password: short, roles: [ADMIN]}
      - {username: bob@acme.test, password: bob@acme.test, roles: [ADMIN]}
      - {username: carl@acme.test, password: a good password, roles: [ADMIN]}`;
    const service = start(url, file);
    expect(await service.exited).toEqual({ code: 1, signal: null });
    const { msg } = service.logs().find(({ level }) => level === 'fatal')!;
    expect(msg.split('\n').slice(1)).toEqual([
      '  - /superAdmins/0/password: must not be one of the most common passwords',
      '  - /tenants/0/users/0/password: must have 12 to 1024 characters',
      '  - /tenants/0/users/1/password: must not be the username',
    ]);
    for (const secret of ['Qwerty', 'a good password']) expect(service.output()).not.toContain(secret);
    const { tenants, accounts } = await contents(url);
    expect([tenants, accounts]).toEqual([[], []]);
  });

  it('warns where others may read its passwords', async () => {
    const warning = 'app.bootstrap.file contains passwords or secrets and other users can read it: set its mode to 600';
    const warned = async (mode: number, file: string) => {
      const service = start(`sqlite:${join(emptyFolder(), 'service.db')}`, file, mode);
      await service.ready();
      return service.logs().some(({ level, msg }) => level === 'warn' && msg === warning);
    };
    const secret = 'superAdmins: [{username: root, password: root password}]';
    expect(
      await Promise.all([warned(0o644, secret), warned(0o600, secret), warned(0o644, 'tenants: [{id: a}]')]),
    ).toEqual([true, false, false]);
  });

  it('is applied once by two processes that start at the same moment on a database server', async () => {
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
});

const SECRETS = ['s3cret', '12345678'];

describe('a bootstrap file with faults', () => {
  const FAULTS: readonly [name: string, file: string | Buffer, problems: readonly (string | RegExp)[]][] = [
    [
      'of the schema',
      `
superAdmins: [{username: root, password: s3cret, role: ADMIN}]
tenant: []
tenants:
  - id: ACME Corp
    users:
      - {username: a, password: "", roles: [ADMIN]}
      - {username: b, password: 12345678, roles: [SUPER_ADMIN]}
      - {username: c, password: s3cret, roles: []}
      - {username: d, password: s3cret, roles: [KING], disabled: "yes"}
      - {username: e, password: s3cret, roles: [ADMIN, ADMIN], accountExpiresAt: tomorrow}
      - {username: " ", password: s3cret, roles: [ADMIN], credentialsExpireAt: 2030-02-31}
      - {password:s3cret, roles: [ADMIN]}
      - {username: A, password: s3cret, roles: [ADMIN]}
    serviceAccounts: [{clientId: root, clientSecret: s3cret, roles: [MANAGER]}]
  - {id: acme, loginDomains: [a b, x.test]}
  - {id: acme, loginDomains: [X.test]}
`,
      [
        '/superAdmins/0: the key role is unknown',
        '/: the key tenant is unknown',
        '/tenants/0/id: must match pattern',
        '/tenants/0/users/0/password: must not have fewer than 1 characters',
        '/tenants/0/users/1/password: must be string',
        /users\/1\/roles\/0: must be one of TENANT_ADMIN, ADMIN, [A-Z_, ]*TENANT_USER\b/,
        '/tenants/0/users/2/roles: must not have fewer than 1 items',
        '/tenants/0/users/3/roles/0: must be one of',
        '/tenants/0/users/3/disabled: must be boolean',
        '/tenants/0/users/4/roles: must not have duplicate items',
        '/tenants/0/users/4/accountExpiresAt: must be a time such as',
        '/tenants/0/users/5/username: must have 1 to 254 characters',
        '/tenants/0/users/5/credentialsExpireAt: must be a time such as',
        '/tenants/0/users/6: the key password is unknown',
        '/tenants/0/users/6: must have required properties username, password',
        '/tenants/0/users/7/username: is given twice',
        '/tenants/0/serviceAccounts/0/clientSecret: must not have fewer than 32 characters',
        '/tenants/0/serviceAccounts/0/clientId: is given twice',
        '/tenants/1/loginDomains/0: must be a domain name',
        '/tenants/2/loginDomains/0: the login domain is given twice',
        '/tenants/2/id: the tenant is given twice',
      ],
    ],
    ['of the form', 'superAdmins: [{username: root, password: "s3cret]\n  - x: [', ['line 2: missing char']],
    [
      'in a key given twice',
      'superAdmins: [{username: root, username: admin, password: s3cret}]',
      ['line 1: duplicate key'],
    ],
    ['of the kind', 's3cret', ['/: must be object']],
    [
      'in its bytes',
      Buffer.from('superAdmins: [{username: r\xf6\xf6t, password: s3cret}]', 'latin1'),
      [/cannot be read .*UTF-8/],
    ],
    ['that fills the memory', aliasBomb(), ['it has too many aliases, or an alias without an anchor']],
  ];

  it.each(FAULTS)('%s is refused with all of them and shows no secret', async (_name, file, problems) => {
    const path = join(emptyFolder(), 'bootstrap.yaml');
    writeFileSync(path, file);
    const { message } = await readBootstrapPlan(path).then(
      () => new Error('accepted'),
      (error: Error) => error,
    );
    expect(message).toContain(`app.bootstrap.file ${path} cannot be `);
    for (const problem of problems) {
      if (typeof problem === 'string') expect(message).toContain(problem);
      else expect(message).toMatch(problem);
    }
    for (const secret of SECRETS) expect(message).not.toContain(secret);
  });

  it('stops the start with all of them, shows no secret and creates nothing', async () => {
    const [, file, problems] = FAULTS[0]!;
    const url = `sqlite:${join(emptyFolder(), 'service.db')}`;
    const service = start(url, file.toString());
    expect(await service.exited).toEqual({ code: 1, signal: null });
    const { msg } = service.logs().find(({ level }) => level === 'fatal')!;
    expect(msg.split('\n')).toHaveLength(1 + problems.length);
    for (const secret of [...SECRETS, 'stack']) expect(service.output()).not.toContain(secret);
    const { tenants, accounts } = await contents(url);
    expect([tenants, accounts]).toEqual([[], []]);
  });

  it('that is not there stops the start', async () => {
    const service = startProgram('gateway', {
      settings: {
        ...SHOP_SETTINGS,
        'app.database.url': `sqlite:${join(emptyFolder(), 'x.db')}`,
        'app.bootstrap.file': '/none/bootstrap.yaml',
      },
    });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output()).toContain('app.bootstrap.file /none/bootstrap.yaml cannot be read (ENOENT)');
  });
});

function aliasBomb(): string {
  const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(4).fill(`*a${i}`).join(', ')}]`);
  return ['a0: &a0 [s3cret]', ...levels].join('\n');
}
