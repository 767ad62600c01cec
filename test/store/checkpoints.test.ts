// The write-ahead log of SQLite stays short, although no commit copies it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { createCheckpoints } from '../../src/platform/db/sqlite/checkpoints.ts';
import { openConnection, type SqliteConnection } from '../../src/platform/db/sqlite/connection.ts';
import type { Database } from '../../src/platform/db/types.ts';
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

describe('a thread', () => {
  /** Commits with a long log until the thread has failed, which cannot open its file. Returns the warnings. */
  async function commitUntilThreadFails(): Promise<readonly unknown[]> {
    const lines: unknown[] = [];
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
    const checkpoints = createCheckpoints('/dev/null/missing.db', log);
    const connection = openConnection(':memory:') as SqliteConnection;
    const longLog = { rows: () => [{ log: 5_000 }] };
    await eventually(async () => {
      for (let commit = 0; commit < 20; commit += 1) {
        checkpoints.afterCommit({ ...connection, prepare: () => longLog as never });
        await nextTurn();
      }
      expect(lines).not.toEqual([]);
    });
    await checkpoints.close();
    connection.db.close();
    return lines;
  }

  const warning = { level: 40, msg: expect.stringContaining('thread'), err: { message: expect.any(String) } };

  it('that cannot open the file does not stop the writes, logs one warning, and ends', async () => {
    expect(await commitUntilThreadFails()).toMatchObject([warning]);
  });

  it('that could not be created is created by a later commit', async () => {
    const create = vi.spyOn(globalThis, 'URL').mockImplementationOnce(() => {
      throw new Error('no thread');
    });
    try {
      expect(await commitUntilThreadFails()).toMatchObject([warning]);
      expect(create.mock.results[0]).toMatchObject({ type: 'throw' });
    } finally {
      create.mockRestore();
    }
  });
});
