// app.bootstrap.file: creates missing records and keeps existing ones.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pendingMigrations } from '../../src/platform/db/migrate.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { deploy, ON_SQLITE, type Deployment } from '../support/deployment.ts';
import { mailFolder } from '../support/mails.ts';
import { restClient, type RestClient } from '../support/rest-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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

/** pino's number for the level. */
const ERROR = 50;

rememberPasswords();

const outcome = async (rest: RestClient, username: string, password = `${username.split('@')[0]} password`) => {
  const { status, body } = await rest.login({ username, password });
  return status === 200 ? 'welcome' : body.errorCode;
};

describe.each(ON_SQLITE)('a bootstrap file on $engine', ({ engine }) => {
  let target: TestDatabase;
  let lines: string[];
  let running: Deployment | undefined;

  beforeEach(async () => {
    target = await createTestDatabase(engine);
  });
  afterEach(async () => {
    await stop();
    await target.drop();
  });

  async function start(file: string, mode = 0o600, settings: Record<string, string> = {}): Promise<RestClient> {
    const path = join(temporaryFolder('bootstrap-'), 'bootstrap.yaml');
    writeFileSync(path, file, { mode });
    lines = [];
    running = await deploy({
      engine,
      transport: 'local',
      databaseUrl: target.url,
      log: { write: (line) => void lines.push(line) },
      settings: { 'app.bootstrap.file': path, ...settings },
    });
    return restClient(running.url);
  }
  async function stop(): Promise<void> {
    await running?.close();
    running = undefined;
  }
  const logged = (message: string) =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ msg }) => msg === message);

  /** All records that a bootstrap can write. */
  const contents = async () => ({
    tenants: await target.database.query('SELECT * FROM tenants ORDER BY id'),
    accounts: await target.database.query('SELECT * FROM accounts ORDER BY username'),
    secrets: await target.database.query('SELECT * FROM client_secrets ORDER BY account_id'),
  });

  it('creates service accounts without a tenant, which get no token while tenants are isolated', async () => {
    const file = `serviceAccounts: [{clientId: platform-sync, clientSecret: ${SECRET}, name: Sync, roles: [SUPER_ADMIN]}]`;
    const grant = async (rest: RestClient) => {
      const { status, body } = await rest.postJson('/api/v1/auth/token', {
        grant_type: 'client_credentials',
        client_id: 'platform-sync',
        client_secret: SECRET,
      });
      return [status, body.errorCode ?? body.token_type];
    };
    const isolated = await start(file);
    expect(await grant(isolated)).toEqual([401, 'invalid_client']);
    expect(logged('bootstrap file applied')).toMatchObject({
      created: 1,
      existing: 0,
      skipped: 0,
    });
    await stop();
    const open = await start(file, 0o600, { 'app.tenancy.isolation': 'false' });
    expect(await grant(open)).toEqual([200, 'Bearer']);
    expect(logged('bootstrap file applied')).toMatchObject({ created: 0, existing: 1, skipped: 0 });
    const [row] = (await contents()).accounts as { tenant_id: Uint8Array; interactive: number; roles: string }[];
    expect([row!.tenant_id.length, row!.interactive, row!.roles]).toEqual([0, 0, 'SUPER_ADMIN']);
  });

  it('invites users without a password, once', async () => {
    const mails = mailFolder();
    const file =
      'tenants: [{id: acme, users: [{username: gus@acme.test, invite: true, email: gus@mail.test, roles: [SALES]}]}]';
    let rest = await start(file, 0o644, mails.settings);
    expect(logged('bootstrap file applied')).toMatchObject({ created: 1, existing: 0, skipped: 0 });
    // The file has no secret.
    expect(lines.join()).not.toContain('other users can read it');
    const token = await mails.tokenTo('gus@mail.test', async () => {});
    await stop();
    rest = await start(file, 0o600, mails.settings);
    expect(logged('bootstrap file applied')).toMatchObject({ created: 0, existing: 1, skipped: 0 });
    expect(await outcome(rest, 'gus@acme.test')).toBe('bad-credentials');
    const path = '/api/v1/auth/invitation/confirm';
    expect((await rest.postJson(path, { token, password: 'gus password 1' })).status).toBe(204);
    expect(await outcome(rest, 'gus@acme.test', 'gus password 1')).toBe('welcome');
    expect(mails.to('gus@mail.test')).toHaveLength(1);
    await stop();
    // Accepted invitations need no mail any more; new ones do.
    await start(file);
    await stop();
    await expect(start(file.replaceAll('gus@acme', 'hal@acme'))).rejects.toThrow(
      '/tenants/0/users/0/invite: needs mail: set app.mail.url',
    );
  });

  it('creates tenants, users, super admins and service accounts', async () => {
    const rest = await start(FILE);
    expect(logged('bootstrap file applied')).toMatchObject({
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

    const { secrets } = await contents();
    expect(secrets).toHaveLength(1);
    expect(JSON.stringify(secrets)).not.toContain(SECRET);
    for (const secret of [SECRET, 'alice password', 'root password']) expect(lines.join('')).not.toContain(secret);
  });

  it('changes nothing if all records exist, in any state', async () => {
    await start(FILE);
    await stop();
    const set = (change: string, username: string) =>
      target.database.execute(`UPDATE accounts SET ${change} WHERE username = ?`, [Buffer.from(username)]);
    await set('disabled = 1', 'bob@acme.test');
    await set('disabled = 0', 'carl@acme.test');
    await set(`locked_until = ${testClock().now() + 900_000}, login_failed_count = 5`, 'alice@acme.test');
    await set("account_expires_at = NULL, roles = 'OWNER'", 'dora@acme.test');
    await target.database.execute("UPDATE tenants SET status = 'SUSPENDED' WHERE id = ?", [Buffer.from('globex')]);
    const before = await contents();

    const rest = await start(FILE.replaceAll(' password,', ' other password,').replace('Acme Flowers', 'Acme Weeds'));
    expect(logged('bootstrap file applied')).toMatchObject({
      tenants: 0,
      accounts: 0,
      existing: 7,
    });
    expect(await contents()).toEqual(before);
    expect(await outcome(rest, 'bob@acme.test')).toBe('account-disabled');
    expect(await outcome(rest, 'carl@acme.test')).toBe('welcome');
    expect(await outcome(rest, 'alice@acme.test')).toBe('account-locked');
    expect(await outcome(rest, 'dora@acme.test', 'dora other password')).toBe('bad-credentials');
  });

  it('adds missing records and keeps existing ones', async () => {
    await start(
      'tenants: [{id: acme, users: [{username: alice@acme.test, password: alice password, roles: [ADMIN]}]}]',
    );
    await stop();
    await start(FILE);
    expect(logged('bootstrap file applied')).toMatchObject({ tenants: 1, accounts: 6 });
  });

  it('moves no account to another tenant', async () => {
    await start(FILE);
    await stop();
    const rest = await start(`tenants:
  - id: other
    users:
      - {username: ALICE@acme.test, password: p, roles: [ADMIN]}
      - {username: new@acme.test, password: new password of mine, roles: [ADMIN]}`);
    expect(logged('bootstrap file applied')).toMatchObject({
      tenants: 1,
      created: 1,
      existing: 0,
      skipped: 1,
    });
    expect(logged('bootstrap account skipped: its username exists in another tenant')).toMatchObject({
      level: ERROR,
      place: '/tenants/0/users/0',
      username: 'alice@acme.test',
      tenantId: 'other',
    });
    expect(await outcome(rest, 'alice@acme.test')).toBe('welcome');
    expect(await outcome(rest, 'new@acme.test', 'new password of mine')).toBe('welcome');
  });

  it('creates missing roles in any order, and skips accounts with unknown ones', async () => {
    const plan = `roles: [{name: SUPPORT, permissions: [tickets:read]}]
tenants:
  - id: acme
    roles:
      - {name: LEAD, inherits: [CLERK, SUPPORT]}
      - {name: CLERK, description: Reads invoices, permissions: [invoices:read], inherits: [ACCOUNTANT]}
    users:
      - {username: lead@acme.test, password: lead password of mine, roles: [LEAD]}
      - {username: gardener@acme.test, password: gardener password, roles: [GARDENER]}`;
    const rest = await start(plan);
    expect(logged('bootstrap file applied')).toMatchObject({ tenants: 1, roles: 3, created: 1, skipped: 1 });
    expect(logged('bootstrap account skipped: one of its roles does not exist')).toMatchObject({
      username: 'gardener@acme.test',
    });
    const credentials = { username: 'lead@acme.test', password: 'lead password of mine' };
    const { accessToken } = (await rest.login(credentials)).body;
    const me = await rest.me(accessToken);
    expect(me.body.roles).toEqual(['ROLE_LEAD', 'ROLE_CLERK', 'ROLE_ACCOUNTANT', 'ROLE_SUPPORT']);
    for (const permission of ['tickets:read', 'invoices:read', 'READ_ORDERS']) {
      const headers = { authorization: `Bearer ${accessToken}` };
      const verified = await rest.send('GET', `/api/v1/auth/verify?permission=${permission}`, { headers });
      expect(verified.status).toBe(200);
    }
    await stop();
    await start(plan);
    expect(logged('bootstrap file applied')).toMatchObject({ tenants: 0, roles: 0, created: 0, existing: 1 });
  });

  it.each([
    [
      'a cycle',
      'roles: [{name: A, inherits: [B]}, {name: B, inherits: [A]}]',
      /roles\/A\/inherits: must not lead back/,
    ],
    ['an unknown role', 'roles: [{name: A, inherits: [GARDENER]}]', /roles\/A\/inherits\/0: must be a built-in role/],
    [
      'an unknown permission',
      'roles: [{name: A, permissions: [FLY]}]',
      /roles\/A\/permissions\/0: must be a built-in permission/,
    ],
    ['a built-in name', 'roles: [{name: SALES}]', /roles\/SALES\/name: must not be a built-in role/],
    ['a role twice', 'roles: [{name: A}, {name: A}]', /roles\/1\/name: the role is given twice/],
    ['a malformed name', 'roles: [{name: clerk}]', /roles\/0\/name: must match \[A-Z\]/],
  ])('rejects the start for roles with %s', async (_problem, plan, message) => {
    await expect(start(plan)).rejects.toThrow(message);
  });

  it('skips accounts with more own permissions than an account can have, and rejects the start for too many in a tenant', async () => {
    const named = (from: number, length: number) =>
      `[${Array.from({ length }, (_, index) => `n${from + index}:read`).join()}]`;
    const large = Array.from(
      { length: 10 },
      (_, index) => `{name: R${index}, permissions: ${named(100 * index, 100)}}`,
    );
    await start(`tenants:
  - id: acme
    roles: [${large.join()}]
    users:
      - {username: all@acme.test, password: all password of mine, roles: [R0, R1]}
      - {username: more@acme.test, password: more password of mine, roles: [R0, R1, R2]}`);
    expect(logged('bootstrap file applied')).toMatchObject({ tenants: 1, roles: 10, created: 1, skipped: 1 });
    const skipped = 'bootstrap account skipped: its roles must not give more than 200 own permissions';
    expect(logged(skipped)).toMatchObject({ level: ERROR, username: 'more@acme.test', tenantId: 'acme' });
    await stop();
    await expect(start('roles: [{name: SHARED, permissions: [x:y]}]')).rejects.toThrow(
      /\/roles: A tenant has roles with which this role would exceed a limit/,
    );
    await start('roles: [{name: SHARED, permissions: [READ_ORDERS]}]');
    expect(logged('bootstrap file applied')).toMatchObject({ roles: 1 });
  });

  it('creates applications of tenants and of all tenants, and never changes them', async () => {
    const file = `superAdmins: [{username: root, password: root password of mine}]
applications:
  - {clientId: Portal, type: SPA, redirectUris: ['https://portal.example.com/'], firstParty: true, resources: [my-shop]}
tenants:
  - id: acme
    applications:
      - clientId: wiki
        clientSecret: ${SECRET}
        type: WEB
        name: Wiki
        redirectUris: [https://wiki.example.com/callback]
        scopes: [openid, email]
        idTokenAlgorithm: RS256
        accessTokenTtl: 300
        disabled: true
      - {clientId: phone, type: NATIVE, redirectUris: ['com.example.phone:/cb'], usernameForm: LOCAL_PART}`;
    const settings = { 'app.security.jwt.issuer': 'https://login.example.com' };
    const rest = await start(file, 0o644, settings);
    expect(logged('bootstrap file applied')).toMatchObject({ accounts: 1, applications: 3, created: 4, skipped: 0 });
    expect(lines.join('')).toContain('other users can read it');
    expect(lines.join('')).not.toContain(SECRET);
    const { accessToken } = (await rest.login({ username: 'root', password: 'root password of mine' })).body;
    const list = async (one: RestClient) =>
      (await one.send('GET', '/api/v1/applications', { headers: { authorization: `Bearer ${accessToken}` } })).body;
    const created = await list(rest);
    expect(created).toMatchObject([
      { clientId: 'phone', type: 'NATIVE', tenantId: 'acme', name: 'phone', usernameForm: 'LOCAL_PART' },
      { clientId: 'wiki', name: 'Wiki', scopes: ['openid', 'email'], accessTokenTtl: 300, disabled: true },
      { clientId: 'Portal', type: 'SPA', shared: true, firstParty: true, resources: ['my-shop'], requirePkce: true },
      { clientId: 'authservice-cli' },
    ]);
    expect(await target.database.query('SELECT id FROM application_secrets')).toHaveLength(1);
    await stop();
    const again = await start(file.replace('name: Wiki', 'name: Other'), 0o600, settings);
    expect(logged('bootstrap file applied')).toMatchObject({ applications: 0, created: 0, existing: 4, skipped: 0 });
    expect(await list(again)).toEqual(created);
    await stop();
    const moved = `tenants: [{id: globex, applications: [
      {clientId: Wiki, type: SPA, redirectUris: ['https://a.example/']},
      {clientId: ROOT, type: SPA, redirectUris: ['https://a.example/']},
      {clientId: x, type: SPA, redirectUris: ['https://a.example/'], resources: [wiki]}],
      users: [{username: phone, password: phone password of mine, roles: [SALES]}]}]`;
    await start(moved, 0o600, settings);
    expect(logged('bootstrap file applied')).toMatchObject({ created: 0, skipped: 4 });
    const skipped = 'bootstrap application skipped: its client id is that of another application';
    expect(logged(skipped)).toMatchObject({ level: ERROR, place: '/tenants/0/applications/0', tenantId: 'globex' });
    expect(logged('bootstrap account skipped: an application has its name')).toMatchObject({ username: 'phone' });
    const resource = 'bootstrap application skipped: one of its resources is a client id';
    expect(logged(resource)).toMatchObject({ level: ERROR, clientId: 'x' });
  });

  it('records each application that it creates, once', async () => {
    const settings = { 'app.security.jwt.issuer': 'https://login.example.com' };
    const file = `superAdmins: [{username: root, password: root password of mine}]
applications:
  - {clientId: portal, type: SPA, redirectUris: ['https://portal.example.com/']}
tenants:
  - id: acme
    applications:
      - {clientId: wiki, clientSecret: ${SECRET}, type: WEB, redirectUris: ['https://wiki.example.com/callback']}`;
    await start(file, 0o600, settings);
    await stop();
    const taken =
      "tenants: [{id: globex, applications: [{clientId: wiki, type: SPA, redirectUris: ['https://a.example/']}]}]";
    await start(taken, 0o600, settings);
    expect(logged('bootstrap file applied')).toMatchObject({ applications: 0, skipped: 1 });
    await stop();
    const rest = await start(file, 0o600, settings);
    expect(logged('bootstrap file applied')).toMatchObject({ applications: 0, existing: 3, skipped: 0 });
    const { accessToken } = (await rest.login({ username: 'root', password: 'root password of mine' })).body;
    const headers = { authorization: `Bearer ${accessToken}` };
    const records = await rest.send('GET', '/api/v1/audit-records?events=application.created', { headers });
    const ids = new Map<string, string>(
      (await rest.send('GET', '/api/v1/applications', { headers })).body.map(
        (one: { clientId: string; id: string }) => [one.clientId, one.id],
      ),
    );
    const recorded = (tenantId: string | undefined, clientId: string, type: string) => ({
      id: expect.any(String),
      at: expect.any(String),
      ...(tenantId && { tenantId }),
      event: 'application.created',
      clientAddress: 'bootstrap',
      requestId: expect.any(String),
      details: { application: ids.get(clientId), clientId, type, actor: 'bootstrap' },
    });
    expect(records.body).toEqual([recorded('acme', 'wiki', 'WEB'), recorded(undefined, 'portal', 'SPA')]);
  });

  it.each([
    ['no redirect URI', 'type: WEB', '/applications/0/redirectUris: is required'],
    [
      'a hostile URI',
      "type: WEB, redirectUris: ['http://a.example/']",
      '/applications/0/redirectUris/0: must be https',
    ],
    ['an unknown key', 'type: SPA, uri: x', '/applications/0: the key uri is unknown'],
    ['an unknown type', 'type: APP', '/applications/0/type: must be one of WEB, SPA, NATIVE'],
    [
      'an unknown scope',
      "type: SPA, redirectUris: ['https://a.example/'], scopes: [admin]",
      '/applications/0/scopes/0: ',
    ],
    [
      'a long lifetime',
      "type: SPA, redirectUris: ['https://a.example/'], accessTokenTtl: 9999",
      '/applications/0/accessTokenTtl: ',
    ],
    [
      'a secret in a browser',
      `type: SPA, redirectUris: ['https://a.example/'], clientSecret: ${SECRET}`,
      '/applications/0/clientSecret: is only for a WEB application',
    ],
    [
      'an id of the plan',
      "type: SPA, redirectUris: ['https://a.example/'], resources: [app]",
      '/applications/0/resources/0: must not be a client id',
    ],
  ])('rejects the start for an application with %s', async (_problem, fields, message) => {
    await expect(start(`applications: [{clientId: app, ${fields}}]`)).rejects.toThrow(message);
  });

  it('adds login domains to tenants and skips domains of other tenants', async () => {
    await start('tenants: [{id: acme, loginDomains: [ACME.test]}, {id: globex}]');
    expect(logged('bootstrap file applied')).toMatchObject({ tenants: 2, loginDomains: 1 });
    await stop();
    await start(`tenants:
  - id: globex
    loginDomains: [acme.test, bücher.example]
    users: [{username: eve@acme.test, password: eve password of hers, roles: [ADMIN]}]
    serviceAccounts: [{clientId: sync@bücher.example, clientSecret: ${SECRET}, roles: [MANAGER]}]`);
    expect(logged('bootstrap file applied')).toMatchObject({
      tenants: 0,
      loginDomains: 1,
      created: 1,
      skipped: 1,
    });
    expect(logged('login domain skipped: another tenant owns it')).toMatchObject({
      level: ERROR,
      tenantId: 'globex',
      domain: 'acme.test',
    });
    const skipped = 'bootstrap account skipped: its username lies under a login domain of another tenant';
    expect(logged(skipped)).toMatchObject({
      level: ERROR,
      username: 'eve@acme.test',
      tenantId: 'globex',
    });
  });

  it('rejects the start before it migrates the database if a missing account would get a password of the documents', async () => {
    const production = {
      'app.env': 'PROD',
      'app.security.key-encryption-key': Buffer.alloc(32, 1).toString('base64'),
      'app.files.store': `disk:${temporaryFolder('bootstrap-files-')}`,
    };
    const existing = 'superAdmins: [{username: Root, password: root password}';
    await start(`${existing}]`, 0o600, production);
    await stop();
    const [newest] = await target.database.query<{ name: string }>(
      'SELECT name FROM knex_migrations ORDER BY name DESC LIMIT 1',
    );
    await target.database.execute('DELETE FROM knex_migrations WHERE name = ?', [newest!.name]);
    const added = `${existing.replace('root password', 'change-me-please')}, {username: other, password: change-me-please}]`;
    await expect(start(added, 0o600, production)).rejects.toThrow(
      /:\n {2}- \/superAdmins\/1\/password: must not be a sample of the documentation$/,
    );
    expect(await pendingMigrations(target.database)).toEqual([newest!.name]);
  });

  it('rejects the start if the password of a new account violates the policy', async () => {
    const file = `
superAdmins: [{username: root, password: Qwerty123456}]
tenants:
  - id: acme
    users:
      - {username: alice@acme.test, password: short, roles: [ADMIN]}
      - {username: bob@acme.test, password: bob@acme.test, roles: [ADMIN]}
      - {username: carl@acme.test, password: a good password, roles: [ADMIN]}`;
    const { message } = await start(file).then(
      () => new Error('started'),
      (error: Error) => error,
    );
    expect(message.split('\n').slice(1)).toEqual([
      '  - /superAdmins/0/password: must not be one of the most common passwords',
      '  - /tenants/0/users/0/password: must have 12 to 1024 characters',
      '  - /tenants/0/users/1/password: must not be the username',
    ]);
    for (const secret of ['Qwerty', 'a good password']) expect(lines.join('')).not.toContain(secret);
    const { tenants, accounts } = await contents();
    expect([tenants, accounts]).toEqual([[], []]);
  });

  it.each([
    ['a file with secrets and mode 644', 'superAdmins: [{username: root, password: root password}]', 0o644, true],
    ['a file with secrets and mode 600', 'superAdmins: [{username: root, password: root password}]', 0o600, false],
    ['a file without secrets and mode 644', 'tenants: [{id: a}]', 0o644, false],
  ])('warns if other users can read its secrets: %s', async (_name, file, mode, warns) => {
    await start(file, mode);
    const warning = 'app.bootstrap.file contains passwords or secrets and other users can read it: set its mode to 600';
    expect(logged(warning) !== undefined).toBe(warns);
  });

  it('gives a new tenant its policy, and keeps the one of an existing tenant', async () => {
    const user = 'users: [{username: alice@acme.test, password: alice long password, roles: [ADMIN]}]';
    const withPolicy = (failures: number) =>
      `tenants: [{id: acme, policy: {lockMaxFailures: ${failures}, passwordMinLength: 16}, ${user}}]`;
    const rest = await start(withPolicy(3));
    for (let count = 0; count < 3; count += 1) await outcome(rest, 'alice@acme.test', 'wrong');
    expect(await outcome(rest, 'alice@acme.test', 'alice long password')).toBe('account-locked');
    await stop();
    await start(withPolicy(4));
    const [row] = await target.database.query<{ policy: string }>('SELECT policy FROM tenants');
    expect(JSON.parse(row!.policy)).toEqual({ lockMaxFailures: 3, passwordMinLength: 16 });
  });

  it.each([
    ['policy: {lockMaxFailures: 9}', '/tenants/0/policy/lockMaxFailures: must be at most 5'],
    ['policy: {lockMaxFailure: 3}', '/tenants/0/policy: the key lockMaxFailure is unknown'],
    ['policy: {lockMaxFailures: three}', '/tenants/0/policy/lockMaxFailures: must be integer'],
    ['policy: {allowedOrigins: [https://evil.test]}', '/tenants/0/policy/allowedOrigins: must be an origin'],
    [
      'policy: {passwordMinLength: 20}, users: [{username: a@acme.test, password: nineteen letters ok, roles: [SALES]}]',
      '/tenants/0/users/0/password: must have at least 20 characters',
    ],
    [
      // The accents count with their letters (RFC 8265 section 4.2).
      `policy: {passwordMinLength: 20}, users: [{username: a@acme.test, password: ${'näïnteen letters øk'.normalize('NFD')}, roles: [SALES]}]`,
      '/tenants/0/users/0/password: must have at least 20 characters',
    ],
  ])('rejects %s', async (tenant, problem) => {
    await expect(start(`tenants: [{id: acme, ${tenant}}]`)).rejects.toThrow(problem);
    expect(await target.database.query('SELECT id FROM tenants')).toEqual([]);
  });
});
