// `backup create`, `backup restore` and `backup seal`.
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seedGrant, useRefreshToken } from '../rpc/explain/granted.ts';
import { clientsOf } from '../support/world.ts';
import { newMailToken, putMailToken } from '../../src/auth/mail/mail-token-store.ts';
import { insertMail } from '../../src/auth/mail/outbox-store.ts';
import { insertApplication } from '../../src/auth/oauth/applications/application-store.ts';
import { createGrantStore } from '../../src/auth/oauth/grants/grant-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { deploy } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import { openEvents } from '../support/event-stream.ts';
import { webApplication } from '../support/oauth/applications.ts';
import { offlineGrant } from '../support/oauth/grants.ts';
import { bearer, restClient } from '../support/rest-client.ts';
import { emptyFolder, endProcesses } from '../support/service-process.ts';

rememberPasswords();
afterAll(endProcesses);

const { now } = testClock();
const DAY_MS = 24 * 3600_000;
const STREAM = '/api/v1/audit-records/stream';
const MAIL = {
  template: 'recovery',
  encrypted: Buffer.from('unread'),
  createdAt: now(),
  giveUpAt: now() + DAY_MS,
};

describe('backup of SQLite', () => {
  let folder: string;
  let url: string;
  const backup = (...args: string[]) => runCli(['backup', ...args], { env: operatorEnv(url) });
  const serve = () => deploy({ engine: 'sqlite', transport: 'local', databaseUrl: url });
  beforeAll(async () => {
    folder = emptyFolder();
    url = `sqlite:${join(folder, 'service.db')}`;
    expect(await runCli(['migrate', 'up'], { env: operatorEnv(url) })).toMatchObject({ code: 0 });
  });

  it('is consistent beside a running service, and a restore revives no session and no grant', async () => {
    const copy = join(folder, 'backup.db');
    const deployment = await serve();
    const account = await seedAccount(deployment.database, {
      roles: ['TENANT_ADMIN'],
      invitationExpiresAt: now() + DAY_MS,
    });
    const { username, tenantId } = account;
    const { accessToken, cookie } = await restClient(deployment.url).open(username);
    const { refreshToken } = await seedGrant(deployment, account, { offline: true });
    await insertMail(deployment.database, { ...MAIL, tenantId, id: newId() });
    const token = {
      purpose: 'invitation',
      token: newMailToken(),
      email: undefined,
      fingerprint: undefined,
      expiresAt: MAIL.giveUpAt,
    } as const;
    await putMailToken(deployment.database, deployment.database, account, token);
    const application = webApplication();
    await insertApplication(deployment.database, application);
    const grant = offlineGrant(account, application, now());
    await createGrantStore(deployment.database).insert(deployment.database, grant, UNLIMITED);
    const stream = await openEvents(`${deployment.url}${STREAM}`, bearer(accessToken));
    const cursor = await eventually(() => /id: (\S+)/.exec(stream.comments[0]!)![1]!);
    const resume = async (url: string, token: string) => {
      const resumed = await openEvents(`${url}${STREAM}`, { ...bearer(token), 'last-event-id': cursor });
      resumed.close();
      return resumed.status;
    };
    expect(await resume(deployment.url, accessToken)).toBe(200);
    stream.close();
    expect(await backup('create', copy)).toEqual({ code: 0, out: `backup written to ${copy}\n`, error: '' });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(await backup('create', copy)).toMatchObject({ code: 1, error: expect.stringContaining('exists already') });
    await seedAccount(deployment.database, { username: 'later@acme.test' });
    expect(await backup('restore', copy, '--yes')).toMatchObject({
      code: 1,
      error: expect.stringContaining('stop the service'),
    });
    expect(readdirSync(folder).filter((name) => name.includes('restoring'))).toEqual([]);
    await deployment.close();

    const { code, out } = await backup('restore', copy, '--yes', '--json');
    expect(code).toBe(0);
    expect(existsSync(JSON.parse(out).previous)).toBe(true);
    expect(readdirSync(folder).filter((name) => /restoring|-wal|-shm/.test(name))).toEqual([]);
    const restored = await serve();
    const rest = restClient(restored.url);
    expect((await rest.login({ username: 'later@acme.test', password: PASSWORD })).status).toBe(401);
    for (const table of ['mails', 'mail_tokens'])
      expect(await restored.database.query(`SELECT * FROM ${table}`)).toEqual([]);
    const open = "SELECT id FROM accounts WHERE invitation_expires_at > unixepoch('subsec') * 1000";
    expect(await restored.database.query(open)).toEqual([]);
    expect((await createGrantStore(restored.database).findById(grant.id))?.revokedAt).toEqual(expect.any(Number));
    expect((await rest.me(accessToken)).status).toBe(401);
    expect((await rest.refresh(cookie)).status).toBe(401);
    const world = { deployment: restored, clients: clientsOf(restored) };
    expect(await useRefreshToken(world, refreshToken)).toBe('INVALID_GRANT');
    const { accessToken: fresh } = await rest.open(username);
    expect((await rest.me(fresh)).status).toBe(200);
    // Its place can have been given to another record.
    expect(await resume(restored.url, fresh)).toBe(400);
    await restored.close();
    const audit = await runCli(['audit', 'list', '--event', 'session.revoked', '--local', '--json'], {
      env: operatorEnv(url),
    });
    expect(JSON.parse(audit.out)).toMatchObject([{ details: { reason: 'restored', actor: 'local-command' } }]);
  });

  it('rejects missing, damaged and foreign files, and changes nothing', async () => {
    const before = readdirSync(folder);
    const damaged = join(emptyFolder(), 'damaged.db');
    writeFileSync(damaged, 'no database '.repeat(500));
    const empty = join(emptyFolder(), 'empty.db');
    writeFileSync(empty, '');
    expect(await backup('restore', damaged, '--yes')).toMatchObject({
      code: 1,
      error: expect.stringContaining('damaged'),
    });
    expect(await backup('restore', empty, '--yes')).toMatchObject({
      code: 1,
      error: expect.stringContaining('not a database of this'),
    });
    expect(await backup('restore', '/nowhere.db', '--yes')).toMatchObject({
      code: 1,
      error: expect.stringContaining('no such file'),
    });
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe('restore without a usable database', () => {
  let test: TestDatabase;
  let file: string;
  let copy: string;
  const backup = (...args: string[]) => runCli(['backup', ...args, '--json'], { env: operatorEnv(test.url) });
  const usernames = async () => {
    const { out } = await runCli(['user', 'list', '--local', '--json'], { env: operatorEnv(test.url) });
    return JSON.parse(out).map(({ username }: { username: string }) => username);
  };
  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    file = test.url.slice('sqlite:'.length);
    copy = join(emptyFolder(), 'backup.db');
    await seedAccount(test.database, { username: 'saved@acme.test' });
    expect(await backup('create', copy)).toMatchObject({ code: 0 });
  });
  afterEach(() => test.drop());

  it('moves the write-ahead log of a lost database aside, so that its changes do not return', async () => {
    await seedAccount(test.database, { username: 'later@acme.test' });
    const logs = ['-wal', '-shm'].map((suffix) => `${file}${suffix}`);
    for (const log of logs) copyFileSync(log, `${log}.kept`);
    await test.database.close();
    rmSync(file);
    for (const log of logs) copyFileSync(`${log}.kept`, log);
    writeFileSync(`${file}-journal`, 'old');
    const { code, out } = await backup('restore', copy, '--yes');
    expect(code).toBe(0);
    expect(await usernames()).toEqual(['saved@acme.test']);
    const moved = readdirSync(dirname(file)).filter((name) => /before-restore-\d+T\d+Z-(wal|shm|journal)$/.test(name));
    expect(moved).toHaveLength(3);
    expect(JSON.parse(out).previous).toBe(
      join(
        dirname(file),
        moved.find((name) => name.endsWith('-wal'))!,
      ),
    );
  });

  it.each([
    ['is no database', () => writeFileSync(file, 'damaged '.repeat(1_000))],
    ['is truncated', () => truncateSync(file, 4_096)],
    ['is empty', () => writeFileSync(file, '')],
  ])('moves a database that %s aside', async (_, damage) => {
    await test.database.close();
    damage();
    const damaged = readFileSync(file);
    const { code, out, error } = await backup('restore', copy, '--yes');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(readFileSync(JSON.parse(out).previous)).toEqual(damaged);
    expect(await usernames()).toEqual(['saved@acme.test']);
  });
});

it('ends all sessions of a restored server database, and names the tools for its dump', async () => {
  const test = await createTestDatabase(SERVER_ENGINE);
  const deployment = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: test.url });
  const { username } = await seedAccount(test.database);
  const rest = restClient(deployment.url);
  const { accessToken } = await rest.open(username);
  const env = operatorEnv(test.url);
  expect(await runCli(['backup', 'create', '/nowhere'], { env })).toMatchObject({
    code: 1,
    error: expect.stringContaining('mysqldump --single-transaction'),
  });
  expect(await runCli(['backup', 'seal', '--yes', '--json'], { env })).toEqual({
    code: 0,
    out: '{"accounts":1}\n',
    error: '',
  });
  expect((await rest.me(accessToken)).status).toBe(401);
  await deployment.close();
  await test.drop();
});
