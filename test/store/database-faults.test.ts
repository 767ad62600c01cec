import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createConnection, type Connection } from 'mysql2/promise';
import { pino } from 'pino';
import type { Deadline } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { builderOf } from '../../src/platform/db/query/builder.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { waitForDatabase } from '../../src/platform/db/wait.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { createTestDatabase, privateServer, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { onMysqlServer, startMysqlServer, type MysqlServer } from '../support/mysql-server.ts';
import { startOldServer } from '../support/old-mysql-server.ts';
import { runQuery } from '../support/run-query.ts';

const log = pino({ level: 'silent' });
const inMs = (ms: number): Deadline => ({ at: Date.now() + ms, signal: new AbortController().signal });
const KEY = Buffer.from('acme');

/** How many statements sleep in the database. The texts of statements of other tests cannot always be compared: they contain bytes. */
async function sleeping(database: Database): Promise<number> {
  const running = "SELECT id FROM information_schema.processlist WHERE state = 'User sleep' AND db = DATABASE()";
  return (await database.query(running)).length;
}

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

describe('a database server that fails', () => {
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

  it.each([1_500, 60_000])('executes no update after its deadline, in %i ms', async (ms) => {
    // Prepared before, so that it is the update itself which waits in the frozen server.
    expect(await guardedUpdate(inMs(-1_000))).toBe(0);
    await server.freeze();
    expect(await refusedAfter(guardedUpdate(inMs(ms)))).toBeLessThan(4_000);
    expect(await nameAfterThaw()).toBe('old');
  });

  it.each([2_000, 60_000])('commits no transaction after its deadline, in %i ms', async (ms) => {
    const work = db.transaction(inMs(ms), async (tx) => {
      await tx.execute("UPDATE tenants SET name = 'new' WHERE id = ?", [KEY]);
      await server.freeze();
    });
    expect(await refusedAfter(work)).toBeLessThan(4_000);
    expect(await nameAfterThaw()).toBe('old');
  });

  it('fails all parallel calls within 4 s while frozen, then works again', async () => {
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

  it('is used again after it was killed and restarted', async () => {
    await name();
    await server.kill();
    expect(await refusedAfter(name())).toBeLessThan(4_000);
    expect(await refusedAfter(db.transaction(inMs(5_000), (tx) => tx.query('SELECT 1 AS one')))).toBeLessThan(4_000);
    expect(await refusedAfter(runQuery(db, builderOf(db)('tenants').select('name')))).toBeLessThan(4_000);
    const lines: string[] = [];
    const began = performance.now();
    const waiting = waitForDatabase(db, {
      timeoutMs: 20_000,
      log: pino({ level: 'info' }, { write: (line) => lines.push(line) }),
    });
    await server.restart();
    await waiting;
    expect(await name()).toBe('old');
    expect(lines.join('')).toMatch(/waiting for the database MySQL 127\.0\.0\.1:\d+\/test_/);
    // About every 5 s, of which a restart may take several.
    expect(lines.length).toBeLessThanOrEqual(2 + (performance.now() - began) / 5_000);
    expect(lines.at(-1)).toContain('the database answers');
  });

  it('gets its stuck statements ended by a user without further privileges', async () => {
    const url = new URL(server.url);
    const user = `'app'@'127.0.0.1'`;
    await onMysqlServer(server.url, (root) =>
      root.query(
        `CREATE USER ${user} IDENTIFIED BY 'secret'; GRANT ALL ON \`${url.pathname.slice(1)}\`.* TO ${user}; SET GLOBAL max_connections = 20`,
      ),
    );
    url.username = 'app';
    url.password = 'secret';
    const app = connectDatabase({ url: url.href, poolSize: 1, log });
    const update = app.execute("UPDATE tenants SET name = CONCAT('new', SLEEP(10)) WHERE id = ?", [KEY]);
    const refused = refusedAfter(update);
    await vi.waitFor(async () => expect(await sleeping(db)).toBe(1), 2_000);
    const others: Connection[] = [];
    const fill = async () => {
      for (;;) others.push(await createConnection({ uri: url.href }));
    };
    await expect(fill()).rejects.toThrow(/too many connections/i);
    expect(await refused).toBeLessThan(4_000);
    await Promise.all(others.map((one) => one.end()));
    await vi.waitFor(async () => expect(await sleeping(db)).toBe(0), 2_000);
    expect(await name()).toBe('old');
    await app.close();
    await onMysqlServer(server.url, (root) => root.query(`DROP USER ${user}; SET GLOBAL max_connections = 500`));
  });

  it('is waited for until the timeout only', async () => {
    const gone = connectDatabase({ url: 'mysql://root:hidden@127.0.0.1:1/none', poolSize: 1, log });
    const lines: string[] = [];
    const logged = pino({ level: 'info' }, { write: (line) => lines.push(line) });
    await refusedAfter(waitForDatabase(gone, { timeoutMs: 600, log: logged }));
    await expect(waitForDatabase(gone, { log, signal: AbortSignal.timeout(100) })).rejects.toThrow(/abort|timeout/i);
    expect(lines.join('')).not.toContain('hidden');
    await gone.close();
  });
});

describe('an unsupported database server', () => {
  /** Why the wait for it ends at once. */
  async function refusal(url: string): Promise<string> {
    const database = connectDatabase({ url, poolSize: 1, log });
    const error = await waitForDatabase(database, { log }).catch((reason: unknown) => reason as Error);
    await database.close();
    return error?.message ?? 'it was accepted';
  }

  it('is rejected with its version and the remedy if its clock does not advance within a statement', async () => {
    const server = await startMysqlServer('--sysdate-is-now');
    const { host } = new URL(server.url);
    expect(await refusal(`${server.url}mysql`)).toMatch(
      new RegExp(
        `^MySQL ${host}/mysql cannot be used: \\w+ \\d+\\.\\d+.* runs with sysdate-is-now, .*; start it without$`,
      ),
    );
    await server.stop();
  });

  // MariaDB ignores the options: it has no group replication.
  const MULTI_PRIMARY = [
    '--loose-plugin-load-add=group_replication.so',
    '--loose-group-replication-single-primary-mode=OFF',
  ];
  it('is accepted with the plugin of group replication if it belongs to no group', async () => {
    const server = await startMysqlServer(...MULTI_PRIMARY);
    expect(await refusal(`${server.url}mysql`)).toBe('it was accepted');
    await server.stop();
  });

  it('is rejected if it belongs to a multi-primary group', async () => {
    const name = '--loose-group-replication-group-name=01a20618-0628-7518-9bd8-a3dfe24b11c0';
    const server = await startMysqlServer(...MULTI_PRIMARY, '--loose-group-replication-start-on-boot=OFF', name);
    const isMariaDb = await onMysqlServer(server.url, async (connection) => {
      const [[row]] = (await connection.query('SELECT VERSION() AS version')) as unknown as [[{ version: string }]];
      return row.version.includes('MariaDB');
    });
    expect(await refusal(`${server.url}mysql`)).toMatch(
      isMariaDb ? 'it was accepted' : /belongs to a multi-primary group/,
    );
    await server.stop();
  });

  it('is rejected with its version and the supported ones if it is too old', async () => {
    const old = await startOldServer('5.7.44-log');
    expect(await refusal(old.url)).toBe(
      `MySQL ${new URL(old.url).host}/shop cannot be used: MySQL 5.7.44-log is not supported; use MySQL 8.4 LTS, MySQL 9.7 LTS, MariaDB 10.6 and later`,
    );
    old.stop();
  });
});

describe('a database server under contention', () => {
  it('fails at a locked row within 4 s and rolls the transaction back', async () => {
    const { url, database, drop } = await createTestDatabase(SERVER_ENGINE);
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

  describe('a statement that takes too long ends on the server too', () => {
    let test: TestDatabase;
    let one: Database;
    beforeAll(async () => {
      test = await createTestDatabase(SERVER_ENGINE);
      one = connectDatabase({ url: test.url, poolSize: 1, log });
      await test.database.execute(
        "INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES ('a', 'old', 'ACTIVE', 0, 0), ('d', 'old', 'ACTIVE', 0, 0)",
      );
    });
    afterAll(async () => {
      await one.close();
      await test.drop();
    });

    // Two rows: a server looks whether a statement is to end when it is done with a row.
    const ROWS = "(SELECT 'b' AS id UNION ALL SELECT 'c') AS two_rows";
    const SELECT = `SELECT SLEEP(10) AS slept FROM ${ROWS}`;
    const UPDATE = "UPDATE tenants SET name = CONCAT('new', SLEEP(10)) WHERE id IN ('a', 'd')";
    const INSERT = `INSERT INTO tenants (id, name, status, created_at, updated_at) SELECT id, SLEEP(10), 'ACTIVE', 0, 0 FROM ${ROWS}`;
    const cases: Record<string, (sql: string) => Promise<unknown>> = {
      alone: (sql) => one.execute(sql),
      'in a transaction': (sql) => one.transaction(inMs(10_000), (tx) => tx.execute(sql)),
    };
    it.each(Object.keys(cases).flatMap((way) => [SELECT, UPDATE, INSERT].map((sql) => [way, sql] as const)))(
      '%s: %s',
      // The five queries share one connection, which a busy machine may not open in time.
      { retry: 1 },
      async (way, sql) => {
        expect(await refusedAfter(cases[way]!(sql))).toBeLessThan(4_000);
        await vi.waitFor(async () => expect(await sleeping(test.database)).toBe(0), 2_000);
        expect(await test.database.query('SELECT DISTINCT name FROM tenants')).toEqual([{ name: 'old' }]);
        // What comes next over the pool's only connection is not the one that is ended.
        const next = Array.from({ length: 5 }, () => one.query('SELECT SLEEP(0.1) AS slept'));
        expect(await Promise.all(next)).toEqual(next.map(() => [{ slept: 0 }]));
      },
    );
  });

  it('fails if no connection becomes free', async () => {
    const { url, drop } = await createTestDatabase(SERVER_ENGINE);
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
