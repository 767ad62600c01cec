// `user import`: users of another system, with their password hashes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcrypt';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROLES } from '../../src/auth/access/roles/built-in-roles.ts';
import { isAcceptedHash } from '../../src/auth/identity/authentication/password-hash-formats.ts';
import { seedAccount } from '../support/accounts.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { deploy } from '../support/deployment.ts';
import { restClient } from '../support/rest-client.ts';
import { emptyFolder, endProcesses } from '../support/service-process.ts';

const TENANT_ROLES = ROLES.filter((role) => role !== 'SUPER_ADMIN');
const PASSWORD = 'an imported password';
const BCRYPT = hashSync(PASSWORD, 4);

afterAll(endProcesses);

describe.each(ENGINES)('user import on %s', (engine) => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase(engine);
    await seedAccount(test.database, { tenantId: 'acme', username: 'old@acme.test' });
    await seedAccount(test.database, { tenantId: 'globex', username: 'old@globex.test' });
  });
  afterEach(() => test.drop());

  function importFile(name: string, content: string, ...args: string[]) {
    const file = join(emptyFolder(), name);
    writeFileSync(file, content, { mode: 0o600 });
    return runCli(['user', 'import', file, '--json', ...args], { env: operatorEnv(test.url) });
  }

  const hashOf = async (username: string) => {
    const sql = 'SELECT password_hash FROM accounts WHERE username = ?';
    const [row] = await test.database.query<{ password_hash: string }>(sql, [Buffer.from(username)]);
    return row?.password_hash;
  };

  it('imports CSV, skips existing usernames, and reports every line that it rejects', async () => {
    const csv = [
      '\uFEFFusername,tenantId,name,roles,disabled,passwordHash',
      'ann@acme.test,acme,"Ann, the ""first""","SALES,FLORIST",true,',
      'OLD@acme.test,acme,,SALES,,',
      'old@globex.test,acme,,SALES,,',
      'ann@acme.test,acme,,SALES,,',
      'bob@acme.test,nowhere,,SALES,,',
      'bob@acme.test,acme,,GARDENER,,',
      `bob@acme.test,acme,,SALES,,${PASSWORD}`,
      'cat@acme.test,acme,,SALES,maybe,',
      'dan@acme.test,acme,,,,',
    ].join('\r\n');
    const rejects = join(emptyFolder(), 'rejects.jsonl');
    const { code, out, error } = await importFile('users.csv', csv, '--rejects', rejects);
    expect({ code, ...JSON.parse(out) }).toEqual({ code: 1, rows: 9, created: 1, existing: 2, rejected: 6, slow: 0 });
    const rejected = readFileSync(rejects, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rejected.toSorted((a, b) => a.line - b.line)).toEqual([
      { line: 4, message: 'username: exists in another tenant' },
      { line: 6, message: 'tenantId: no such tenant' },
      { line: 7, message: `roles/0: must be one of ${TENANT_ROLES.join(', ')}, or a role of the tenant` },
      { line: 8, message: expect.stringMatching(/^passwordHash: must be a bcrypt hash/) },
      { line: 9, message: expect.stringMatching(/^disabled/) },
      { line: 10, message: expect.stringMatching(/roles/) },
    ]);
    expect(error).not.toContain(PASSWORD);
    const wrongRole = await importFile('users.csv', csv, '--role', 'GARDEN-ER');
    expect(wrongRole).toMatchObject({ code: 2, error: expect.stringContaining('GARDEN-ER: not a role') });
    const noTenantRole = await importFile('users.csv', csv, '--role', 'super_admin');
    expect(noTenantRole).toMatchObject({
      code: 2,
      error: expect.stringContaining(`give one of ${TENANT_ROLES.join(', ')}`),
    });
    const listed = await runCli(['user', 'list', '--query', 'ann@acme', '--local', '--json'], {
      env: operatorEnv(test.url),
    });
    expect(JSON.parse(listed.out)).toMatchObject([
      { username: 'ann@acme.test', name: 'Ann, the "first"', roles: ['SALES', 'FLORIST'], disabled: true },
    ]);
    const audit = await runCli(['audit', 'list', '--event', 'account.created', '--local', '--json'], {
      env: operatorEnv(test.url),
    });
    expect(JSON.parse(audit.out)).toMatchObject([
      { username: 'ann@acme.test', details: { actor: 'local-command', imported: 1 } },
    ]);
  });

  // The others send the same statements.
  if (engine !== 'sqlite') return;

  it('rejects rows with more roles or own permissions than an account can have', async () => {
    const names = Array.from({ length: 51 }, (_, index) => `ROLE_${index}`);
    const long = names.slice(0, 32).map((name) => name.padEnd(63, 'X'));
    const large = ['A', 'B'].map((name) => ({
      name,
      own: Array.from({ length: 101 }, (_, i) => `${name.toLowerCase()}${i}:r`),
    }));
    for (const { name, own } of [...[...names, ...long].map((name) => ({ name, own: [] as string[] })), ...large])
      await test.database.execute(
        `INSERT INTO roles (tenant_id, name, permissions, inherits, created_at, updated_at, version)
          VALUES (?, ?, ?, '[]', 1, 1, 1)`,
        [Buffer.from('acme'), Buffer.from(name), JSON.stringify(own)],
      );
    const rows = [names, long, ['A', 'B'], ['A']].map((roles, index) =>
      JSON.stringify({ username: `user${index}@acme.test`, tenantId: 'acme', roles }),
    );
    const { out, error } = await importFile('users.jsonl', rows.join('\n'));
    expect(JSON.parse(out)).toMatchObject({ created: 1, rejected: 3 });
    expect(error).toMatch(/line 1: roles: .*50/);
    expect(error).toMatch(/line 2: roles: must have at most 2000 characters together/);
    expect(error).toMatch(/line 3: roles: must not give more than 200 own permissions/);
  });

  it('rejects rows whose roles exceed a limit together with those that they inherit', async () => {
    const names = (prefix: string, count: number, length = 0) =>
      Array.from({ length: count }, (_, index) => `${prefix}_${index}_`.padEnd(length, 'X'));
    const [ones, others, long] = [names('ONE', 49), names('OTHER', 49), names('LONG', 31, 63)];
    const own = (prefix: string) => Array.from({ length: 101 }, (_, index) => `${prefix}${index}:r`);
    const roles: readonly (readonly [name: string, inherits: readonly string[], permissions?: readonly string[]])[] = [
      ...[...ones, ...others, ...long].map((name) => [name, []] as const),
      ['FIRST', ones],
      ['SECOND', others],
      ['NAMES', long],
      ['A', [], own('a')],
      ['B', ['A'], own('b')],
    ];
    for (const [name, inherits, permissions = []] of roles)
      await test.database.execute(
        `INSERT INTO roles (tenant_id, name, permissions, inherits, created_at, updated_at, version)
          VALUES (?, ?, ?, ?, 1, 1, 1)`,
        [Buffer.from('acme'), Buffer.from(name), JSON.stringify(permissions), JSON.stringify(inherits)],
      );
    const rows = [
      ['FIRST', 'SECOND', 'SALES'],
      ['NAMES', 'SALES', 'ACCOUNTANT'],
      ['B'],
      ['FIRST', 'SECOND'],
      ['NAMES'],
      ['A'],
    ].map((held, index) => JSON.stringify({ username: `user${index}@acme.test`, tenantId: 'acme', roles: held }));
    const { out, error } = await importFile('users.jsonl', rows.join('\n'));
    expect(JSON.parse(out)).toMatchObject({ created: 3, rejected: 3 });
    expect(error).toMatch(/line 1: roles: must be at most 100, inherited ones included/);
    expect(error).toMatch(/line 2: roles: must have at most 2000 characters .*, inherited ones included/);
    expect(error).toMatch(/line 3: roles: must not give more than 200 own permissions/);
    expect(error).not.toMatch(/line [456]/);
  });

  it.each([
    ['users.csv', 'username,\x1b[2Jcolumn,\u009b31m\nann@acme.test,x,y\n'],
    ['users.jsonl', '{"username":"ann@acme.test","\\u001b[2Jcolumn":1,"\u009b31m\u202e":2}\n'],
  ])('escapes control characters of column names of %s', async (name, content) => {
    const file = join(emptyFolder(), name);
    writeFileSync(file, content, { mode: 0o600 });
    const args = ['user', 'import', file, '--tenant', 'acme', '--role', 'SALES'];
    const { code, out, error } = await runCli(args, { env: operatorEnv(test.url) });
    expect(code).toBe(1);
    expect(error).toMatch(/^line \d: .*\\u001b/);
    expect(error.trimEnd().split('\n')).toHaveLength(1);
    expect(out + error).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('lets users of each kind of bcrypt log in, and replaces the hash at the first login', async () => {
    const variants = ['$2a$', '$2b$', '$2y$'].map((variant) => BCRYPT.replace('$2b$', variant));
    const lines = variants.map((passwordHash, index) =>
      JSON.stringify({ username: `User${index}@acme.test`, tenantId: 'acme', roles: ['SALES'], passwordHash }),
    );
    const { code, out, error } = await importFile('users.jsonl', `${lines.join('\n')}\n\n`);
    expect({ code, error, ...JSON.parse(out) }).toEqual({
      code: 0,
      error: '',
      rows: 3,
      created: 3,
      existing: 0,
      rejected: 0,
      slow: 0,
    });
    const deployment = await deploy({ engine, transport: 'local', databaseUrl: test.url });
    const rest = restClient(deployment.url);
    for (const index of variants.keys()) {
      const username = `user${index}@acme.test`;
      expect((await rest.login({ username, password: 'another password' })).status).toBe(401);
      expect((await rest.login({ username, password: PASSWORD })).status).toBe(200);
      await expect.poll(() => hashOf(username)).toMatch(/^\$argon2id\$/);
      expect((await rest.login({ username, password: PASSWORD })).status).toBe(200);
    }
    await deployment.close();
  });

  it('invites the users whose column says so, if the service sends mails', async () => {
    const csv = [
      'username,tenantId,roles,email,invite,passwordHash,disabled,accountExpiresAt',
      'ann@mail.test,acme,SALES,ann@mail.test,true,,,',
      'bob@mail.test,acme,SALES,bob@mail.test,false,,,',
      'cat@mail.test,acme,SALES,,true,,,',
      `dan@mail.test,acme,SALES,dan@mail.test,true,${BCRYPT},,`,
      'eve@mail.test,acme,SALES,eve@mail.test,true,,true,',
      'fay@mail.test,acme,SALES,fay at mail.test,,,,',
      'gil@mail.test,acme,SALES,gil@mail.test,true,,,2020-01-01T00:00:00Z',
      'hal@mail.test,stopped,SALES,hal@mail.test,true,,,',
      'ivy@mail.test,stopped,SALES,ivy@mail.test,,,,',
    ].join('\n');
    await seedAccount(test.database, { tenantId: 'stopped', username: 'old@stopped.test' });
    await test.database.execute("UPDATE tenants SET status = 'SUSPENDED' WHERE id = ?", [Buffer.from('stopped')]);
    const args = ['--app.mail.url=smtp://localhost:1', '--app.public-url=https://auth.shop.test'];
    const withoutMail = await importFile('users.csv', csv, '--dry-run');
    expect(withoutMail.error).toContain('line 2: invite: needs mail: set app.mail.url\n');
    const { out, error } = await importFile('users.csv', csv, ...args);
    expect(JSON.parse(out)).toMatchObject({ created: 3, rejected: 6 });
    for (const line of [4, 5, 6]) expect(error).toContain(`line ${line}: row: \`invite: true\` needs an email`);
    expect(error).toContain('line 7: email: must be an e-mail address');
    expect(error).toContain('line 8: invite: the user cannot log in: the account has expired');
    expect(error).toContain('line 9: invite: the user cannot log in: the tenant is suspended');
    expect(await test.database.query('SELECT template FROM mails')).toEqual([{ template: 'invitation' }]);
    const invited = await test.database.query<{ username: string }>(
      'SELECT CAST(username AS CHAR) AS username FROM accounts WHERE invitation_expires_at > ?',
      [testClock().now()],
    );
    expect(invited).toEqual([{ username: 'ann@mail.test' }]);
    const audit = await runCli(['audit', 'list', '--event', 'account.invited', '--local', '--json'], {
      env: operatorEnv(test.url),
    });
    expect(JSON.parse(audit.out)).toMatchObject([{ username: 'ann@mail.test', details: { actor: 'local-command' } }]);
  });

  it("changes nothing with --dry-run, and rejects usernames of another tenant's domain", async () => {
    await runCli(['tenant', 'domains', 'globex', 'globex.test', '--local'], { env: operatorEnv(test.url) });
    const rows = ['ann@globex.test', 'ann@acme.test'].map((username) => JSON.stringify({ username }));
    const args = ['--tenant', 'acme', '--role', 'sales'];
    for (const [flags, created] of [
      [['--dry-run'], 1],
      [[], 1],
      [[], 0],
    ] as const) {
      const { code, out, error } = await importFile('users.jsonl', rows.join('\n'), ...args, ...flags);
      expect([code, error]).toEqual([1, 'line 1: username: lies under a login domain of another tenant\n']);
      expect(JSON.parse(out)).toEqual({ rows: 2, created, existing: 1 - created, rejected: 1, slow: 0 });
    }
  });
});

it('rejects a username of two tenants also in one batch, in favor of the first valid row', async () => {
  const { url, database, drop } = await createTestDatabase('sqlite');
  for (const tenantId of ['acme', 'globex'])
    await seedAccount(database, { tenantId, username: `old@${tenantId}.test` });
  await runCli(['tenant', 'domains', 'globex', 'globex.test', '--local'], { env: operatorEnv(url) });
  const rows = [
    ['ann@free.test', 'acme'],
    ['Ann@free.test', 'globex'],
    ['bob@globex.test', 'acme'],
    ['bob@globex.test', 'globex'],
    ['bob@globex.test', 'globex'],
  ].map(([username, tenantId]) => JSON.stringify({ username, tenantId, roles: ['SALES'] }));
  const file = join(emptyFolder(), 'users.jsonl');
  writeFileSync(file, rows.join('\n'), { mode: 0o600 });
  const { code, out, error } = await runCli(['user', 'import', file, '--json'], { env: operatorEnv(url) });
  expect({ code, ...JSON.parse(out) }).toEqual({ code: 1, rows: 5, created: 2, existing: 1, rejected: 2, slow: 0 });
  expect(error.trim().split('\n').toSorted()).toEqual([
    'line 2: username: exists in another tenant',
    'line 3: username: lies under a login domain of another tenant',
  ]);
  await drop();
});

it('asks for another run if a username is created at the same time, and that run continues', async () => {
  const { url, database, drop } = await createTestDatabase('sqlite');
  await seedAccount(database, { tenantId: 'acme', username: 'old@acme.test' });
  // Takes the username between the check of the import and its insertion.
  await database.execute(`CREATE TRIGGER race BEFORE INSERT ON accounts BEGIN
    UPDATE accounts SET username = NEW.username WHERE username = CAST('old@acme.test' AS BLOB); END`);
  const file = join(emptyFolder(), 'users.jsonl');
  writeFileSync(file, '{"username":"ann@acme.test","tenantId":"acme","roles":["SALES"]}', { mode: 0o600 });
  const importFile = () => runCli(['user', 'import', file], { env: operatorEnv(url) });
  expect(await importFile()).toEqual({
    code: 1,
    out: '',
    error: expect.stringMatching(/^another process created .* run the import again/),
  });
  await database.execute('DROP TRIGGER race');
  expect(await importFile()).toMatchObject({ code: 0, out: expect.stringMatching(/^1 rows: 1 created/) });
  await drop();
});

it('fails with one line for a missing file, an unknown format and a broken CSV file', async () => {
  const { url, drop } = await createTestDatabase('sqlite');
  const importFile = (file: string) => runCli(['user', 'import', file], { env: operatorEnv(url) });
  expect(await importFile('/nowhere/users.csv')).toMatchObject({
    code: 1,
    error: expect.stringContaining('no such file or folder'),
  });
  expect(await importFile('/tmp')).toMatchObject({ code: 1, error: '/tmp is a folder; name a file\n' });
  const file = join(emptyFolder(), 'users.txt');
  writeFileSync(file, 'username\n"ann', { mode: 0o600 });
  expect(await importFile(file)).toMatchObject({ code: 2, error: 'give --format csv or --format jsonl\n' });
  writeFileSync(file, 'username,"roles\nann,SALES');
  const broken = await runCli(['user', 'import', file, '--format', 'csv'], { env: operatorEnv(url) });
  expect(broken).toMatchObject({ code: 1, error: 'line 1: a quote is not closed in this line\n' });
  await drop();
});

it('names slow hashes, and rejects hashes that need more memory than all hashes may use', async () => {
  const { url, database, drop } = await createTestDatabase('sqlite');
  await seedAccount(database, { tenantId: 'acme', username: 'old@acme.test' });
  const hashes = [
    BCRYPT,
    BCRYPT.replace('$04$', '$14$'),
    '$argon2id$v=19$m=65536,p=4,t=3$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG',
    '$argon2id$v=19$m=131072,p=4,t=4$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG',
    '$argon2id$v=19$m=262144,t=1,p=1$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG',
  ];
  const rows = hashes.map((passwordHash, index) =>
    JSON.stringify({ username: `user${index}`, tenantId: 'acme', roles: ['SALES'], passwordHash }),
  );
  const file = join(emptyFolder(), 'users.jsonl');
  writeFileSync(file, rows.join('\n'), { mode: 0o600 });
  const limit = ['--app.security.password.max-hash-memory-bytes=134217728'];
  expect(await runCli(['user', 'import', file, ...limit], { env: operatorEnv(url) })).toEqual({
    code: 1,
    out: expect.stringMatching(/^5 rows: 4 created, 0 existed, 1 rejected, 2 with a slow hash in /),
    error:
      'line 5: passwordHash: needs more memory than app.security.password.max-hash-memory-bytes gives each process\n' +
      'warning: line 2: passwordHash: bcrypt with cost 14, about 1.1 s for each login until the first success\n' +
      'warning: line 4: passwordHash: Argon2 with 128 MiB and 4 iterations, about 0.6 s for each login until the first success\n',
  });
  await drop();
});

it.each([
  [BCRYPT, true],
  [BCRYPT.replace('$04$', '$15$'), false],
  [BCRYPT.slice(0, -1), false],
  ['$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG', true],
  ['$argon2id$v=19$m=65536,p=4,t=3$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG', true],
  ['$argon2id$v=19$m=65536,p=17,t=3$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG', false],
  ['$argon2id$v=19$m=262144,p=1,t=5$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG', false],
  ['$argon2i$v=19$m=4096,t=3,p=1$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG', true],
  ['$argon2id$v=19$m=1048576,t=3,p=4$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG', false],
  ['$argon2id$v=19$m=262144,t=4,p=1$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG', true],
  ['$argon2id$v=19$m=262144,t=5,p=1$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG', false],
  ['$argon2id$v=19$m=65536,t=16,p=1$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG', true],
  ['5f4dcc3b5aa765d61d8327deb882cf99', false],
])('accepts the hash %s: %s', (passwordHash, accepted) => {
  expect(isAcceptedHash(passwordHash)).toBe(accepted);
});
