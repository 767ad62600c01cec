// A password that was evaluated while the database was down is counted when it is back.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../src/platform/db/ids.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { holdVerifications, type Barrier } from '../support/argon2.ts';
import { createTestDatabase, privateServer } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { endFileLocks, lockFile } from '../support/file-locks.ts';
import { expectOutage, timed } from '../support/outages.ts';
import { restClient } from '../support/rest-client.ts';

/** Longer than a statement may take, shorter than the outcome of a login is tried. */
const OUTAGE_MS = 5_000;
const PATIENCE = { timeout: 15_000 };

interface Outage {
  readonly url: string;
  begin(): Promise<void>;
  end(): Promise<void> | void;
  drop(): Promise<void> | void;
}

async function lockedFile(): Promise<Outage> {
  const own = await createTestDatabase('sqlite');
  let lock: Awaited<ReturnType<typeof lockFile>>;
  return {
    url: own.url,
    begin: async () => void (lock = await lockFile(own.url, 'BEGIN IMMEDIATE')),
    end: () => lock.release(),
    drop: () => own.drop(),
  };
}

async function frozenServer(): Promise<Outage> {
  const server = await privateServer();
  return {
    url: server.url,
    begin: () => server.freeze(),
    end: () => server.thaw(),
    drop: () => server.stop(),
  };
}

describe.each([
  ['sqlite', 'a locked file', lockedFile],
  ['mariadb', 'a frozen server', frozenServer],
] as const)('%s, %s', (engine, _what, createOutage) => {
  let outage: Outage;
  let deployment: Deployment;
  let barrier: Barrier | undefined;

  beforeAll(async () => {
    outage = await createOutage();
    deployment = await deploy({ engine, transport: 'local', databaseUrl: outage.url });
  });
  afterEach(() => {
    barrier?.lift();
    endFileLocks();
  });
  afterAll(async () => {
    await deployment?.close();
    await outage?.drop();
  });

  it.each([
    ['a wrong password is counted once', 'wrong', 2, 'login.failed'],
    ['a right password opens no session, and failures count from 0', PASSWORD, 0, 'login.aborted'],
  ])('%s', async (_name, password, count, event) => {
    const { username, id } = await seedAccount(deployment.database, { loginFailedCount: 1 });
    barrier = holdVerifications();
    const login = timed(() => restClient(deployment.url).login({ username, password }));
    await barrier.reached(1);
    await outage.begin();
    barrier.lift();
    const [response] = await Promise.all([login, sleep(OUTAGE_MS)]);
    await outage.end();
    expectOutage(response, 'login');

    const { database } = deployment;
    const lockState = () =>
      database.query('SELECT login_failed_count, attempt_slots FROM accounts WHERE id = ?', [idToBytes(id)]);
    await expect.poll(lockState, PATIENCE).toEqual([{ login_failed_count: count, attempt_slots: '' }]);
    const of = (column: string, table: string) =>
      database.query(`SELECT ${column} FROM ${table} WHERE account_id = ?`, [idToBytes(id)]);
    expect(await of('event', 'audit_records')).toEqual([{ event }]);
    expect(await of('id', 'session_families')).toEqual([]);
  });
});
