import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createConnection, type Connection } from 'mysql2/promise';
import { pino } from 'pino';
import type { Deadline } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/types.ts';
import { waitForDatabase } from '../../src/db/wait.ts';
import { DependencyUnavailableError } from '../../src/errors.ts';
import { createTestDatabase, privateServer } from '../support/databases.ts';

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
  let server: Awaited<ReturnType<typeof privateServer>>;
  let db: Database;
  beforeAll(async () => {
    server = await privateServer();
    db = server.database;
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await waitForDatabase(db, { timeoutMs: 10_000, log });
    await db.execute('DELETE FROM tenants');
    await db.execute("INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES (?, 'old', 'ACTIVE', 0, 0)", [KEY]);
  });

  const guardedUpdate = (deadline: Deadline) =>
    db.execute(`UPDATE tenants SET name = 'new' WHERE id = ? AND ${db.beforeDeadline}`, [KEY, db.deadlineValue(deadline)]);
  const name = async () => (await db.query<{ name: string }>('SELECT name FROM tenants WHERE id = ?', [KEY]))[0]?.name;

  /** Thaws the server and waits until it has dealt with everything that was sent to it before. */
  async function thawAndSettle(): Promise<void> {
    server.thaw();
    await waitForDatabase(db, { timeoutMs: 10_000, log });
    await expect
      .poll(async () => (await db.query<{ n: number }>(
        "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE command <> 'Sleep' AND id <> CONNECTION_ID() AND user = 'root'",
      ))[0]!.n)
      .toBe(0);
  }

  it('is reported within 4 s while frozen, and what was sent to it changes nothing later', async () => {
    await guardedUpdate(inMs(-1));
    server.freeze();
    expect(await refusedAfter(guardedUpdate(inMs(2_500)))).toBeLessThan(4_000);
    await thawAndSettle();
    expect(await name()).toBe('old');
  });

  it('refuses a whole crowd within 4 s while frozen, then works again', async () => {
    await Promise.all(Array.from({ length: 40 }, () => name()));
    server.freeze();
    const times = await Promise.all(Array.from({ length: 40 }, () => refusedAfter(name())));
    expect(Math.max(...times)).toBeLessThan(4_000);
    expect(await refusedAfter(db.ping(1_000))).toBeLessThan(1_500);
    await thawAndSettle();
    expect(await Promise.all(Array.from({ length: 40 }, () => name()))).toEqual(Array(40).fill('old'));
  });

  it('commits no transaction that it got to finish after the deadline', async () => {
    const deadline = inMs(2_000);
    const work = db.transaction(deadline, async (tx) => {
      await tx.execute("UPDATE tenants SET name = 'new' WHERE id = ?", [KEY]);
      server.freeze();
    });
    expect(await refusedAfter(work)).toBeLessThan(4_000);
    await thawAndSettle();
    expect(await name()).toBe('old');
  });

  it('is found again after it was killed and restarted', async () => {
    await name();
    await server.kill();
    expect(await refusedAfter(name())).toBeLessThan(4_000);
    expect(await refusedAfter(db.transaction(inMs(5_000), (tx) => tx.query('SELECT 1 AS one')))).toBeLessThan(4_000);
    expect(await refusedAfter(db.knex('tenants').select('name').then())).toBeLessThan(4_000);
    const lines: string[] = [];
    const waiting = waitForDatabase(db, { timeoutMs: 20_000, log: pino({ level: 'info' }, { write: (line) => lines.push(line) }) });
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
    await database.execute("INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES ('a', 'old', 'ACTIVE', 0, 0)");
    await database.execute("INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES ('b', 'old', 'ACTIVE', 0, 0)");
    const other: Connection = await createConnection({ uri: url });
    await other.query("START TRANSACTION");
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
    const [row] = await database.query<{ n: number }>(
      "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%' AND id <> CONNECTION_ID()",
    );
    expect(row!.n).toBe(0);
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
