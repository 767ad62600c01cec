import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createConnection, type Connection } from 'mysql2/promise';
import { pino } from 'pino';
import type { Deadline } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/types.ts';
import { waitForDatabase } from '../../src/db/wait.ts';
import { DependencyUnavailableError } from '../../src/errors.ts';
import { createTestDatabase, privateServer } from '../support/databases.ts';
import type { MysqlServer } from '../support/mysql-server.ts';

const log = pino({ level: 'silent' });
const inMs = (ms: number): Deadline => ({ at: Date.now() + ms, signal: new AbortController().signal });
const KEY = Buffer.from('acme');

/** How long it takes until the work is refused as unavailable. */
async function refusedAfter(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  const error = await work.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DependencyUnavailableError);
  return performance.now() - started;
}

describe('a MariaDB server that fails', () => {
  let server: MysqlServer;
  let db: Database;
  beforeAll(async () => {
    server = await privateServer();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    server.thaw();
    db = connectDatabase({ url: server.url, poolSize: 10, log });
    await waitForDatabase(db, { timeoutMs: 10_000, log });
    await db.execute('DELETE FROM tenants');
    await db.execute(
      "INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES (?, 'old', 'ACTIVE', 0, 0)",
      [KEY],
    );
  });
  afterEach(() => db.close());

  const guardedUpdate = (deadline: Deadline) =>
    db.execute(`UPDATE tenants SET name = 'new' WHERE id = ? AND ${db.beforeDeadline}`, [
      KEY,
      db.deadlineValue(deadline),
    ]);
  const name = async (database = db) =>
    (await database.query<{ name: string }>('SELECT name FROM tenants WHERE id = ?', [KEY]))[0]?.name;

  /** Thaws the server and reads the name once the server has done with every connection that was cut off. */
  async function nameAfterThaw(): Promise<string | undefined> {
    await db.close();
    server.thaw();
    const observer = connectDatabase({ url: server.url, poolSize: 1, log });
    await waitForDatabase(observer, { timeoutMs: 10_000, log });
    const others = async () =>
      (
        await observer.query(
          'SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND host LIKE ?',
          ['%:%'],
        )
      ).length;
    await expect.poll(others, { timeout: 5_000 }).toBe(0);
    const found = await name(observer);
    await observer.close();
    return found;
  }

  it.each([1_500, 60_000])('carries out no update that was given up, deadline in %i ms', async (ms) => {
    // Prepared before, so that it is the update itself which waits in the frozen server.
    expect(await guardedUpdate(inMs(-1_000))).toBe(0);
    await server.freeze();
    expect(await refusedAfter(guardedUpdate(inMs(ms)))).toBeLessThan(4_000);
    expect(await nameAfterThaw()).toBe('old');
  });

  it.each([2_000, 60_000])('commits no transaction that was given up, deadline in %i ms', async (ms) => {
    const work = db.transaction(inMs(ms), async (tx) => {
      await tx.execute("UPDATE tenants SET name = 'new' WHERE id = ?", [KEY]);
      await server.freeze();
    });
    expect(await refusedAfter(work)).toBeLessThan(4_000);
    expect(await nameAfterThaw()).toBe('old');
  });

  it('refuses a whole crowd within 4 s while frozen, then works again', async () => {
    const crowd = Array.from({ length: 40 });
    await Promise.all(crowd.map(() => name()));
    await server.freeze();
    const times = await Promise.all(crowd.map(() => refusedAfter(name())));
    expect(Math.max(...times)).toBeLessThan(4_000);
    expect(await refusedAfter(db.ping(1_000))).toBeLessThan(1_500);
    server.thaw();
    await waitForDatabase(db, { timeoutMs: 10_000, log });
    expect(new Set(await Promise.all(crowd.map(() => name())))).toEqual(new Set(['old']));
  });

  it('is found again after it was killed and restarted', async () => {
    await name();
    await server.kill();
    expect(await refusedAfter(name())).toBeLessThan(4_000);
    expect(await refusedAfter(db.transaction(inMs(5_000), (tx) => tx.query('SELECT 1 AS one')))).toBeLessThan(4_000);
    expect(await refusedAfter((async () => db.knex('tenants').select('name'))())).toBeLessThan(4_000);
    const lines: string[] = [];
    const waiting = waitForDatabase(db, {
      timeoutMs: 20_000,
      log: pino({ level: 'info' }, { write: (line) => lines.push(line) }),
    });
    await server.restart();
    await waiting;
    expect(await name()).toBe('old');
    expect(lines.join('')).toMatch(/waiting for the database MySQL 127\.0\.0\.1:\d+\/test_/);
    expect(lines).toHaveLength(2);
  });

  it('is waited for no longer than asked', async () => {
    const gone = connectDatabase({ url: 'mysql://root:hidden@127.0.0.1:1/none', poolSize: 1, log });
    const lines: string[] = [];
    const logged = pino({ level: 'info' }, { write: (line) => lines.push(line) });
    await refusedAfter(waitForDatabase(gone, { timeoutMs: 600, log: logged }));
    await expect(waitForDatabase(gone, { log, signal: AbortSignal.timeout(100) })).rejects.toThrow(/abort|timeout/i);
    expect(lines.join('')).not.toContain('hidden');
    await gone.close();
  });
});

describe('a MariaDB server under contention', () => {
  it('gives up on a locked row within 4 s and rolls back what the transaction had done', async () => {
    const { url, database, drop } = await createTestDatabase('mariadb');
    await database.execute(
      "INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES ('a', 'old', 'ACTIVE', 0, 0)",
    );
    await database.execute(
      "INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES ('b', 'old', 'ACTIVE', 0, 0)",
    );
    const other: Connection = await createConnection({ uri: url });
    await other.query('START TRANSACTION');
    await other.query("UPDATE tenants SET name = 'theirs' WHERE id = 'b'");
    const work = database.transaction(inMs(10_000), async (tx) => {
      await tx.execute("UPDATE tenants SET name = 'new' WHERE id = 'a'");
      await tx.execute("UPDATE tenants SET name = 'new' WHERE id = 'b'");
    });
    expect(await refusedAfter(work)).toBeLessThan(4_000);
    await other.end();
    expect(await database.query('SELECT DISTINCT name FROM tenants')).toEqual([{ name: 'old' }]);
    await drop();
  });

  it('ends a statement that takes too long, on the server too', async () => {
    const { database, drop } = await createTestDatabase('mariadb');
    expect(await refusedAfter(database.query('SELECT SLEEP(10) AS slept'))).toBeLessThan(4_000);
    const running =
      "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%' AND id <> CONNECTION_ID()";
    await vi.waitFor(async () => expect(await database.query(running)).toEqual([]), 2_000);
    await drop();
  });

  it('refuses who finds no connection free', async () => {
    const { url, drop } = await createTestDatabase('mariadb');
    const small = connectDatabase({ url, poolSize: 1, log });
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const busy = small.transaction(inMs(10_000), () => release);
    expect(await refusedAfter(small.query('SELECT 1 AS one'))).toBeLessThan(4_000);
    resolve();
    await busy;
    expect(await small.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await small.close();
    await drop();
  });
});
