// A SQLite database while another connection holds the lock of its file. sqlite-lock.timed.test.ts shows that the event loop goes on.
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { builderOf } from '../../src/platform/db/query/builder.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { inMs } from '../support/deadlines.ts';
import { eventually } from '../support/eventually.ts';
import { endFileLocks, lockFile } from '../support/file-locks.ts';
import { freezeTime, passTime, untilTimers } from '../support/frozen-time.ts';
import { runQuery } from '../support/run-query.ts';

const log = pino({ level: 'silent' });
const LOCK_TIMEOUT_MS = 2_000;
const fileOf = (url: string): string => url.slice('sqlite:'.length);

afterEach(() => vi.useRealTimers());

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
    freezeTime();
    let refused = 0;
    const refuse = (work: Promise<unknown>) =>
      work.catch((error: unknown) => {
        expect(error).toBeInstanceOf(DependencyUnavailableError);
        refused += 1;
      });
    const crowd = Array.from({ length: 50 }, (_, index) =>
      refuse(index % 2 ? append(1) : db.transaction(UNLIMITED, (tx) => append(1, tx))),
    );
    await untilTimers(50);
    await passTime(500);
    const late = refuse(append(1));
    await untilTimers(51);
    await passTime(LOCK_TIMEOUT_MS - 501);
    expect(refused).toBe(0);
    await passTime(1);
    await Promise.all(crowd);
    expect(refused).toBe(50);
    await passTime(499);
    expect(refused).toBe(50);
    await passTime(1);
    await late;
    expect(refused).toBe(51);
    other.exec('ROLLBACK');
    // A write that waited any longer would come before this one.
    await append(0);
    expect(await points()).toBe(0);
  });

  it('runs waiting writers in their order, later ones last', async () => {
    freezeTime();
    const waiting = [1, 2, 3, 4].map((digit) =>
      digit % 2 ? append(digit) : db.transaction(UNLIMITED, (tx) => append(digit, tx)),
    );
    await untilTimers(4);
    other.exec('ROLLBACK');
    await Promise.all([...waiting, append(5)]);
    expect(await points()).toBe(12_345);
  });

  it('can be read and responds to pings while a writer waits', async () => {
    freezeTime();
    let isWritten = false;
    const writing = append(1).then(() => (isWritten = true));
    await untilTimers(1);
    expect(await points()).toBe(0);
    expect(await runQuery(db, builderOf(db)('rate_limits').select('points'))).toEqual([{ points: 0 }]);
    await db.ping(1);
    expect(isWritten).toBe(false);
    other.exec('ROLLBACK');
    await writing;
    expect(await points()).toBe(1);
  });

  it('is waited for until the deadline of a transaction, which then does not begin', async () => {
    freezeTime();
    let begun = false;
    let refused: unknown;
    const work = db
      .transaction(inMs(100), async () => {
        begun = true;
      })
      .catch((error: unknown) => (refused = error));
    await untilTimers(1);
    await passTime(99);
    expect(refused).toBeUndefined();
    await passTime(1);
    expect(await work).toBeInstanceOf(DependencyUnavailableError);
    other.exec('ROLLBACK');
    await append(1);
    expect(begun).toBe(false);
  });

  it('does not execute a write after its deadline', async () => {
    const deadline = db.deadlineValue(inMs(50));
    const write = db.execute(`UPDATE rate_limits SET points = 7 WHERE ${db.beforeDeadline}`, [deadline]);
    await eventually(async () =>
      expect(await db.query(`SELECT points FROM rate_limits WHERE ${db.beforeDeadline}`, [deadline])).toEqual([]),
    );
    other.exec('ROLLBACK');
    expect(await write).toBe(0);
    expect(await points()).toBe(0);
  });

  it('rejects waiting writers when it is closed', async () => {
    freezeTime();
    const waiting = [append(1), append(2)].map((work) =>
      expect(work).rejects.toBeInstanceOf(DependencyUnavailableError),
    );
    await untilTimers(2);
    await db.close();
    await Promise.all(waiting);
  });

  it('is migrated when it is free', async () => {
    freezeTime();
    const second = connectDatabase({ url: test.url, poolSize: 1, log });
    const migrating = migrate(second, log);
    await untilTimers(1);
    other.exec('ROLLBACK');
    expect(await migrating).toBe(0);
    await second.close();
  });
});

describe('a SQLite file that no other process can open', () => {
  afterEach(endFileLocks);

  it('is opened when it is free', async () => {
    const { url, remove } = await createEmptyDatabase('sqlite');
    const lock = await lockFile(url, 'PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE a (b); BEGIN EXCLUSIVE');
    const db = connectDatabase({ url, poolSize: 1, log });
    freezeTime();
    const ping = expect(db.ping(100)).rejects.toThrow('no answer within 100 ms');
    await untilTimers(3);
    await passTime(100);
    await ping;
    const reading = db.query('SELECT b FROM a');
    await lock.release();
    expect(await reading).toEqual([]);
    await db.close();
    await remove();
  });

  it('is reported as locked', async () => {
    const { url, remove } = await createEmptyDatabase('sqlite');
    const lock = await lockFile(url, 'PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE a (b); BEGIN EXCLUSIVE');
    const db = connectDatabase({ url, poolSize: 1, log });
    freezeTime();
    const ping = expect(db.ping(2_000)).rejects.toThrow('Database unavailable: locked by another process');
    await untilTimers(3);
    await passTime(1_500);
    await ping;
    await lock.kill();
    await db.ping(2_000);
    await db.close();
    await remove();
  });
});
