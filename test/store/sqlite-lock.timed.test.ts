// While another connection holds the lock of a SQLite file, the event loop goes on: nothing waits inside of SQLite.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/databases.ts';
import { endFileLocks, lockFile } from '../support/file-locks.ts';

const log = pino({ level: 'silent' });
// Far from what a machine busy with other things takes, and from the 2 s of a wait inside of SQLite.
const UNBLOCKED_MS = 1_000;

afterEach(endFileLocks);

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

it('waiting writers and a migration do not block the event loop', async () => {
  const { url, database, drop } = await createTestDatabase('sqlite');
  const other = new DatabaseSync(url.slice('sqlite:'.length));
  other.exec('BEGIN IMMEDIATE');
  const write = 'UPDATE rate_limits SET points = 1';
  const crowd = Array.from({ length: 50 }, (_, index) =>
    index % 2 ? database.execute(write) : database.transaction(UNLIMITED, (tx) => tx.execute(write)),
  );
  expect(await longestBlock(Promise.allSettled(crowd))).toBeLessThan(UNBLOCKED_MS);
  const second = connectDatabase({ url, poolSize: 1, log });
  const migrating = migrate(second, log);
  expect(await longestBlock(Promise.race([migrating, sleep(300)]))).toBeLessThan(UNBLOCKED_MS);
  other.close();
  expect(await migrating).toBe(0);
  await second.close();
  await drop();
});

it('the wait for a file that cannot be opened does not block the event loop', async () => {
  const { url, remove } = await createEmptyDatabase('sqlite');
  const lock = await lockFile(url, 'PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE a (b); BEGIN EXCLUSIVE');
  const db = connectDatabase({ url, poolSize: 1, log });
  const reading = db.query('SELECT b FROM a');
  expect(await longestBlock(sleep(300))).toBeLessThan(UNBLOCKED_MS);
  await lock.release();
  expect(await reading).toEqual([]);
  await db.close();
  await remove();
});
