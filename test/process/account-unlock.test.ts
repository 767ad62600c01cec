// `account unlock NAME`: access for a SUPER_ADMIN whom no other account can unlock.
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AuditServiceService } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { createEmptyDatabase, createTestDatabase, ENGINES } from '../support/databases.ts';
import { runCli as runInProcess } from '../support/cli.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { restClient, type RestClient } from '../support/rest-client.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';

interface Run {
  readonly code: number | string;
  readonly out: string;
  readonly error: string;
}

/** Runs the command line as a process. */
function runCli(args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  return new Promise((resolve) => {
    const argv = [join(PROJECT, 'cli/main.ts'), ...args];
    execFile(process.execPath, argv, { cwd: emptyFolder(), env }, (failure, out, error) =>
      resolve({ code: failure?.code ?? 0, out, error }),
    );
  });
}

/** Runs the command in this process. */
const unlock = (args: readonly string[], env: Record<string, string> = {}): Promise<Run> =>
  runInProcess(['account', 'unlock', ...args], { env });

/** What an operator has: the URL of the database, app.env=PROD by default, and no key. */
const operator = (url: string) => ({ APP_DATABASE_URL: url });

const MAX_FAILURES = 5;

async function lockOut(rest: RestClient, { username }: Account): Promise<void> {
  for (let i = 0; i < MAX_FAILURES; i += 1) await rest.login({ username, password: 'wrong password' });
  expect((await rest.login({ username, password: PASSWORD })).status).toBe(423);
}

afterAll(endProcesses);

describe.each(ENGINES)('account unlock on %s, beside a running service', (engine) => {
  rememberPasswords();
  let service: Deployment;
  let root: Account;
  let rest: RestClient;
  beforeAll(async () => {
    service = await deploy({ engine, transport: 'local' });
    root = await seedAccount(service.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    rest = restClient(service.url);
  });
  afterAll(() => service?.close());

  it('lets a locked SUPER_ADMIN log in at once, and reports at its second run that nothing was locked', async () => {
    await lockOut(rest, root);
    const shown = JSON.stringify(root.username);
    const args = ['account', 'unlock', root.username];
    expect(await runCli(args, operator(service.databaseUrl))).toEqual({
      code: 0,
      out: `${shown}: unlocked\n`,
      error: '',
    });
    expect((await rest.login({ username: root.username, password: PASSWORD })).status).toBe(200);
    expect(await unlock([root.username, '--json'], operator(service.databaseUrl))).toEqual({
      code: 0,
      out: `{"username":${shown},"result":"not-locked"}\n`,
      error: '',
    });
  });

  it('counts failed logins from 0 again', async () => {
    for (let i = 1; i < MAX_FAILURES; i += 1) await rest.login({ username: root.username, password: 'wrong password' });
    expect(await unlock([root.username], operator(service.databaseUrl))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/: unlocked/),
    });
    for (let i = 1; i < MAX_FAILURES; i += 1) await rest.login({ username: root.username, password: 'wrong password' });
    expect((await rest.login({ username: root.username, password: PASSWORD })).status).toBe(200);
  });

  it('unlocks once if it runs several times at once', async () => {
    await lockOut(rest, root);
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => unlock([root.username, '--json'], operator(service.databaseUrl))),
    );
    const results = runs.map(({ out }) => JSON.parse(out).result as string);
    expect(results.toSorted()).toEqual(['not-locked', 'not-locked', 'not-locked', 'unlocked']);
  });

  it('writes an audit record with the local command as the actor', async () => {
    const user = await seedAccount(service.database);
    await lockOut(rest, user);
    await unlock([` ${user.username.toUpperCase()} `], operator(service.databaseUrl));
    const { accessToken } = await rest.open(root.username);
    const request = { events: ['account.unlocked'], accountId: user.id };
    const { records } = await service
      .client(AuditServiceService)
      .listAuditRecords(request, { authorization: [`Bearer ${accessToken}`] });
    expect(records).toHaveLength(1);
    const [{ details, ...record }] = records as [(typeof records)[0]];
    expect(record).toMatchObject({
      tenantId: 'acme',
      accountId: user.id,
      username: user.username,
      actorId: undefined,
      clientAddress: 'local-command',
    });
    expect(JSON.parse(details)).toEqual({ loginFailedCount: MAX_FAILURES, actor: 'local-command' });
  });
});

describe.each(ENGINES)('account unlock on %s', (engine) => {
  const databases: { drop(): Promise<void> }[] = [];
  const createDatabase = async () => {
    const test = await createTestDatabase(engine);
    databases.push(test);
    return test;
  };
  afterEach(async () => {
    for (const { drop } of databases.splice(0)) await drop();
  });

  it('exits with 1 for an unknown account', async () => {
    const { url } = await createDatabase();
    const unknown = '"nobody\\n": no account has this username\n';
    expect(await unlock(['nobody\n'], operator(url))).toEqual({ code: 1, out: '', error: unknown });
    expect(await unlock(['nobody', '--json'], operator(url))).toEqual({
      code: 1,
      out: '',
      error: '{"error":{"message":"\\"nobody\\": no account has this username","exitCode":1}}\n',
    });
    expect(await unlock([' '], operator(url))).toMatchObject({ code: 1 });
  });

  it('unlocks the last SUPER_ADMIN although it is disabled', async () => {
    const { url, database } = await createDatabase();
    const seed = { tenantId: undefined, disabled: true, loginFailedCount: 5, lockedUntil: Date.now() + 60_000 };
    const { username } = await seedAccount(database, { ...seed, roles: ['SUPER_ADMIN'] });
    expect(await unlock([username], operator(url))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/: unlocked/),
    });
    expect(await unlock([username], operator(url))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/: not locked/),
    });
  });

  it('reads its settings from a file, the environment and flags', async () => {
    const { url, database } = await createDatabase();
    const { username } = await seedAccount(database);
    const file = join(emptyFolder(), 'application.yaml');
    writeFileSync(file, `app.database.url: ${url}`);
    expect(await unlock(['--config', file, username])).toMatchObject({ code: 0 });
    const byFlag = await unlock([`--app.database.url=${url}`, username], operator('sqlite:/none/service.db'));
    expect(byFlag).toMatchObject({ code: 0 });
  });

  it('rejects a missing and an older schema, and migrates neither', async () => {
    const empty = await createEmptyDatabase(engine);
    if (engine === 'sqlite') writeFileSync(empty.url.replace('sqlite:', ''), '');
    const refusal = expect.stringMatching(/^app\.database\.url: .* the schema is missing or older .*0001_tenants/);
    for (let round = 0; round < 2; round += 1)
      expect(await unlock(['root'], operator(empty.url))).toEqual({ code: 4, out: '', error: refusal });
    await empty.remove();

    const { url, database } = await createDatabase();
    const { username } = await seedAccount(database, { loginFailedCount: 5, lockedUntil: Date.now() + 60_000 });
    await database.execute("DELETE FROM knex_migrations WHERE name LIKE '0024%'");
    for (let round = 0; round < 2; round += 1) {
      const { code, error } = await unlock([username], operator(url));
      expect([code, error]).toEqual([4, expect.stringContaining('0024_login_domains.ts')]);
    }
    expect(await database.query('SELECT id FROM accounts WHERE login_failed_count = 5')).toHaveLength(1);
  });
});

describe('account unlock without a database', () => {
  it('prints the setting and the server without the password, within seconds', async () => {
    // Accepts connections and never answers.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const frozen = `mysql://app:pass-word-1@127.0.0.1:${port}/service`;
    const absent = 'mysql://app:pass-word-1@127.0.0.1:1/service';
    const started = performance.now();
    for (const { code, out, error } of await Promise.all([
      runCli(['account', 'unlock', 'root'], operator(frozen)),
      unlock(['root'], operator(absent)),
    ])) {
      expect([code, out]).toEqual([4, '']);
      expect(error).toMatch(/^app\.database\.url: MySQL 127\.0\.0\.1:\d+\/service: Database unavailable: /m);
      expect(error).not.toContain('pass-word-1');
    }
    // The start of the process takes long where other tests use the processors.
    expect(performance.now() - started).toBeLessThan(30_000);
    server.close();
  });

  it('creates no SQLite file and no folder', async () => {
    const folder = join(emptyFolder(), 'data');
    const run = await unlock(['root', '--json'], operator(`sqlite:${folder}/service.db`));
    expect(run).toMatchObject({ code: 4, out: '' });
    expect(JSON.parse(run.error).error).toEqual({
      exitCode: 4,
      message: `app.database.url: SQLite ${folder}/service.db: the file does not exist; give the database of the service`,
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('requires the database in PROD, but no key', async () => {
    const { code, error } = await unlock(['root']);
    expect([code, error.split('\n')]).toEqual([
      2,
      [
        'The configuration has a problem:',
        expect.stringContaining('app.database.url: must be given'),
        expect.stringContaining('give --app.env=DEV'),
        '',
      ],
    ]);
  });
});

describe('the arguments of account unlock', () => {
  it.each([
    ['no name', []],
    ['two names', ['root', 'other']],
    ['an unknown flag', ['root', '--quiet']],
    ['only flags', ['--json']],
  ])('exit with 2 if invalid: %s', async (_case, args) => {
    const { code, out, error } = await unlock(args, operator('sqlite:/none/service.db'));
    expect([code, out]).toEqual([2, '']);
    expect(error).not.toBe('');
  });

  it('may contain a name that begins with two dashes, after --', async () => {
    const { code, error } = await unlock(['--', '--root'], operator('sqlite:/none/service.db'));
    expect([code, error]).toEqual([4, expect.stringContaining('SQLite /none/service.db')]);
  });

  it('are listed by --help', async () => {
    expect(await unlock(['--help'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/account unlock \[options\] <username>/),
      error: '',
    });
    const [help, none, other] = await Promise.all([
      runCli(['--help']),
      runInProcess([]),
      runInProcess(['account', 'lock', 'root']),
    ]);
    expect(help).toMatchObject({ code: 0, out: expect.stringMatching(/^ {2}account .*$/m), error: '' });
    expect(none).toMatchObject({ code: 2, out: '', error: expect.stringContaining('name a command') });
    expect(other).toMatchObject({ code: 2, out: '', error: expect.stringMatching(/^unknown command 'lock'.*\n$/) });
  });
});
