// A SQLite database while another connection holds the lock of its file.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED, type Deadline } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { builderOf } from '../../src/platform/db/query/builder.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { endFileLocks, lockFile } from '../support/file-locks.ts';
import { runQuery } from '../support/run-query.ts';

const log = pino({ level: 'silent' });
// Far from what a machine busy with other things takes, and from the 2 s of somebody who waits with the event loop blocked.
const UNBLOCKED_MS = 1_000;
const inMs = (ms: number): Deadline => ({ at: Date.now() + ms, signal: new AbortController().signal });
const fileOf = (url: string): string => url.slice('sqlite:'.length);

/** The longest that the event loop was blocked while the work was under way, in milliseconds. */
async function longestBlock(work: Promise<unknown>): Promise<number> {
  const over = new AbortController();
  const measured = (async () => {
    let longest = 0;
    while (!over.signal.aborted) {
      const before = performance.now();
      await sleep(5);
      longest = Math.max(longest, performance.now() - before);
    }
    return longest;
  })();
  await work.finally(() => over.abort());
  return measured;
}

describe('a locked SQLite file', () => {
  let test: TestDatabase;
  let db: Database;
  let other: DatabaseSync;

  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    db = test.database;
    await db.execute('INSERT INTO rate_limits (`key`, points) VALUES (?, 0)', [Buffer.from('counter')]);
    other = new DatabaseSync(fileOf(test.url));
    other.exec('BEGIN IMMEDIATE');
  });
  afterEach(async () => {
    other.close();
    await test.drop();
  });

  const append = (digit: number, target: Pick<Database, 'execute'> = db) =>
    target.execute('UPDATE rate_limits SET points = points * 10 + ?', [digit]);
  const points = async () => (await db.query<{ points: number }>('SELECT points FROM rate_limits'))[0]!.points;

  it('rejects every writer after its own timeout, and runs none of them later', async () => {
    const started = performance.now();
    const refusedAfter = async (work: Promise<unknown>) => {
      const error: unknown = await work.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(DependencyUnavailableError);
      return performance.now() - started;
    };
    const crowd = Array.from({ length: 50 }, (_, index) =>
      refusedAfter(index % 2 ? append(1) : db.transaction(UNLIMITED, (tx) => append(1, tx))),
    );
    const late = sleep(500).then(() => refusedAfter(append(1)));
    expect(await longestBlock(Promise.all(crowd))).toBeLessThan(UNBLOCKED_MS);
    expect(Math.max(...(await Promise.all(crowd)))).toBeLessThan(3_500);
    expect(await late).toBeGreaterThan(2_400);
    other.exec('ROLLBACK');
    await sleep(50);
    expect(await points()).toBe(0);
  });

  it('runs waiting writers in their order, later ones last', async () => {
    const waiting = [1, 2, 3, 4].map((digit) =>
      digit % 2 ? append(digit) : db.transaction(UNLIMITED, (tx) => append(digit, tx)),
    );
    await sleep(50);
    other.exec('ROLLBACK');
    await Promise.all([...waiting, append(5)]);
    expect(await points()).toBe(12_345);
  });

  it('can be read and responds to pings', async () => {
    const writing = append(1);
    const started = performance.now();
    expect(await points()).toBe(0);
    expect(await runQuery(db, builderOf(db)('rate_limits').select('points'))).toEqual([{ points: 0 }]);
    await db.ping(UNBLOCKED_MS);
    expect(performance.now() - started).toBeLessThan(UNBLOCKED_MS);
    other.exec('ROLLBACK');
    await writing;
  });

  it('is waited for until the deadline of a transaction, which then does not begin', async () => {
    let begun = false;
    const started = performance.now();
    const work = db.transaction(inMs(100), async () => {
      begun = true;
    });
    await expect(work).rejects.toBeInstanceOf(DependencyUnavailableError);
    expect(performance.now() - started).toBeLessThan(UNBLOCKED_MS);
    other.exec('ROLLBACK');
    await append(1);
    expect(begun).toBe(false);
  });

  it('does not execute a write after its deadline', async () => {
    const write = db.execute(`UPDATE rate_limits SET points = 7 WHERE ${db.beforeDeadline}`, [
      db.deadlineValue(inMs(50)),
    ]);
    await sleep(100);
    other.exec('ROLLBACK');
    expect(await write).toBe(0);
    expect(await points()).toBe(0);
  });

  it('rejects waiting writers when it is closed', async () => {
    const waiting = [append(1), append(2)].map((work) =>
      expect(work).rejects.toBeInstanceOf(DependencyUnavailableError),
    );
    await sleep(20);
    await db.close();
    await Promise.all(waiting);
  });

  it('is migrated when it is free', async () => {
    const second = connectDatabase({ url: test.url, poolSize: 1, log });
    const migrating = migrate(second, log);
    const block = await longestBlock(Promise.race([migrating, sleep(300)]));
    other.exec('ROLLBACK');
    expect(await migrating).toBe(0);
    expect(block).toBeLessThan(UNBLOCKED_MS);
    await second.close();
  });
});

describe('a SQLite file that no other process can open', () => {
  afterEach(endFileLocks);

  it('is opened when it is free, without blocking the event loop', async () => {
    const { url, remove } = await createEmptyDatabase('sqlite');
    const lock = await lockFile(url, 'PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE a (b); BEGIN EXCLUSIVE');
    const db = connectDatabase({ url, poolSize: 1, log });
    await expect(db.ping(100)).rejects.toThrow('no answer within 100 ms');
    const reading = db.query('SELECT b FROM a');
    expect(await longestBlock(sleep(300))).toBeLessThan(UNBLOCKED_MS);
    await lock.release();
    expect(await reading).toEqual([]);
    await db.close();
    await remove();
  });

  it('is reported as locked', async () => {
    const { url, remove } = await createEmptyDatabase('sqlite');
    const lock = await lockFile(url, 'PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE a (b); BEGIN EXCLUSIVE');
    const db = connectDatabase({ url, poolSize: 1, log });
    await expect(db.ping(2_000)).rejects.toThrow('Database unavailable: locked by another process');
    await lock.kill();
    await db.ping(2_000);
    await db.close();
    await remove();
  });
});
