// The write-ahead log of SQLite stays short, although no commit copies it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { createCheckpoints } from '../../src/db/sqlite/checkpoints.ts';
import { openConnection, type SqliteConnection } from '../../src/db/sqlite/connection.ts';
import type { Database } from '../../src/db/types.ts';
import { eventually } from '../support/eventually.ts';

/** Each row fills eight pages of the log. */
const ROW = new Uint8Array(8 * 4_000);
const INSERT = 'INSERT INTO pages VALUES (?, ?)';
/** Enough for a log of 1,000 pages. */
const COMMITS = 150;

describe('the log of a SQLite file', () => {
  let folder: string;
  let file: string;
  let database: Database;
  let observer: DatabaseSync;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
    file = join(folder, 'service.db');
    database = connectDatabase({ url: `sqlite:${file}`, poolSize: 1, log: pino({ level: 'silent' }) });
    await database.execute('CREATE TABLE pages (id INTEGER PRIMARY KEY, content BLOB)');
    observer = new DatabaseSync(file);
  });
  afterEach(async () => {
    if (observer.isOpen) observer.close();
    await database.close();
    rmSync(folder, { recursive: true });
  });

  /** Returns the pages of the log, and how many of them the file has. */
  const logLength = () => {
    const row = observer.prepare('PRAGMA wal_checkpoint(NOOP)').get();
    return row as { readonly log: number; readonly checkpointed: number };
  };
  const insert = (id: number) => database.execute(INSERT, [id, ROW]);
  const insertInTransaction = (id: number) =>
    database.transaction(UNLIMITED, async (tx) => void (await tx.execute(INSERT, [id, ROW])));

  async function untilLogIsNew(write: (id: number) => Promise<unknown>): Promise<void> {
    let id = -1;
    await eventually(async () => {
      await write(id--);
      expect(logLength().log).toBeLessThan(100);
    });
  }

  describe.each([
    { kind: 'single writes', write: insert },
    { kind: 'transactions', write: insertInTransaction },
  ])('of $kind', ({ write }) => {
    it('is copied into the file without another commit, and starts anew with the next ones', async () => {
      for (let id = 0; id < COMMITS; id += 1) await write(id);
      // Fewer pages than were written, if the thread was so fast that the log is already new.
      const { log } = logLength();
      await eventually(() => expect(log < 1_000 || logLength().checkpointed >= 1_000).toBe(true));
      await untilLogIsNew(write);
    });
  });

  it('is removed at the end, when the file has everything', async () => {
    for (let id = 0; id < COMMITS; id += 1) await insert(id);
    observer.close();
    await database.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    const closed = new DatabaseSync(file, { readOnly: true });
    expect(closed.prepare('SELECT COUNT(*) AS count FROM pages').get()).toEqual({ count: COMMITS });
    closed.close();
  });

  it('waits for a reader, and starts anew when it has ended', async () => {
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('BEGIN; SELECT * FROM pages');
    for (let id = 0; id < 2 * COMMITS; id += 1) await insert(id);
    expect(logLength().log).toBeGreaterThan(2_000);
    reader.close();
    await untilLogIsNew(insert);
  });
});

describe('a thread that cannot open the file', () => {
  it('does not stop the writes, and ends', async () => {
    const connection = openConnection(':memory:') as SqliteConnection;
    const checkpoints = createCheckpoints('/dev/null/missing.db');
    const log = { get: () => ({ log: 5_000 }) };
    for (let commit = 0; commit < 100; commit += 1) {
      checkpoints.afterCommit({ ...connection, prepare: () => log as never });
      await nextTurn();
    }
    await checkpoints.close();
    connection.db.close();
  });
});
