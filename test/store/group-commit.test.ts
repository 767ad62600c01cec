import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { DatabaseError } from '../../src/platform/db/errors.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Database, Insertion } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { pino } from 'pino';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { inMs } from '../support/deadlines.ts';
import { freezeTime, passTime, untilTimers } from '../support/frozen-time.ts';

const log = pino({ level: 'silent' });

const INTO = 'token_blacklist (id, expires_at)';

function rowOf(id: string): Insertion {
  return { into: INTO, row: 'VALUES (?, ?)', values: [idToBytes(id), 1] };
}

async function isStored(db: Database, id: string): Promise<boolean> {
  return (await db.query('SELECT id FROM token_blacklist WHERE id = ?', [idToBytes(id)])).length > 0;
}

const newIds = (count: number) => Array.from({ length: count }, newId);

describe.each(ENGINES)('rows that share a commit on %s', (engine) => {
  let test: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    test = await createTestDatabase(engine);
    db = test.database;
  });
  afterEach(() => test.drop());

  const storedOf = (ids: readonly string[]) => Promise.all(ids.map((id) => isStored(db, id)));

  it('are all stored, for any number at once', async () => {
    const ids = newIds(300);
    await Promise.all(ids.map((id) => db.insert(rowOf(id), UNLIMITED)));
    expect(await storedOf(ids)).toEqual(ids.map(() => true));
  });

  it('are visible to other connections as soon as they are acknowledged', async () => {
    const other = connectDatabase({ url: test.url, poolSize: 1, log });
    try {
      const ids = newIds(20);
      const seen = await Promise.all(ids.map((id) => db.insert(rowOf(id), UNLIMITED).then(() => isStored(other, id))));
      expect(seen).toEqual(ids.map(() => true));
    } finally {
      await other.close();
    }
  });

  it('fail separately if the engine rejects one', async () => {
    const taken = newId();
    await db.insert(rowOf(taken), UNLIMITED);
    const [first, last] = newIds(2) as [string, string];
    const outcomes = await Promise.allSettled([first, taken, last].map((id) => db.insert(rowOf(id), UNLIMITED)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((outcomes[1] as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseError);
    expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ kind: 'duplicate' });
    expect(await storedOf([first, last])).toEqual([true, true]);
  });

  it('fail separately if a deadline has passed or a caller has cancelled', async () => {
    const [late, cancelled, patient] = newIds(3) as [string, string, string];
    const gone = new AbortController();
    const outcomes = Promise.allSettled([
      db.insert(rowOf(late), inMs(-1)),
      db.insert(rowOf(cancelled), { ...UNLIMITED, signal: gone.signal }),
      db.insert(rowOf(patient), UNLIMITED),
    ]);
    gone.abort();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(await storedOf([late, cancelled, patient])).toEqual([false, false, true]);
  });

  it('fail by kind if kinds are mixed', async () => {
    const [a, b] = newIds(2) as [string, string];
    const outcomes = await Promise.allSettled([
      db.insert({ into: 'no_such_table (id)', row: 'VALUES (?)', values: [idToBytes(a)] }, UNLIMITED),
      db.insert(rowOf(a), UNLIMITED),
      db.insert(rowOf(b), UNLIMITED),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(await storedOf([a, b])).toEqual([true, true]);
  });

  it('are committed before the database closes', async () => {
    const ids = newIds(200);
    const inserted = Promise.all(ids.map((id) => db.insert(rowOf(id), UNLIMITED)));
    await db.close();
    await inserted;
    db = connectDatabase({ url: test.url, poolSize: 1, log });
    expect(await storedOf(ids)).toEqual(ids.map(() => true));
    await db.close();
  });

  it('wait for an open transaction, and are kept if it is rolled back', async () => {
    const ids = newIds(3);
    const began = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const transaction = db.transaction(UNLIMITED, async () => {
      began.resolve();
      await end.promise;
      throw new Error('rolled back');
    });
    await began.promise;
    const inserted = Promise.all(ids.map((id) => db.insert(rowOf(id), UNLIMITED)));
    end.resolve();
    await expect(transaction).rejects.toThrow('rolled back');
    await inserted;
    expect(await storedOf(ids)).toEqual([true, true, true]);
  });
});

describe('writes of all kinds on SQLite', () => {
  let test: TestDatabase;
  let db: Database;
  let other: DatabaseSync;
  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    db = test.database;
    other = new DatabaseSync(test.url.replace('sqlite:', ''));
  });
  afterEach(async () => {
    vi.useRealTimers();
    other.close();
    await test.drop();
  });

  /** Number of pages in the write-ahead log. A checkpoint, after 1,000 pages, does not make the file smaller. */
  const pagesInLog = () => statSync(`${test.url.replace('sqlite:', '')}-wal`).size / 4_120;

  it('statements return the number of their changed rows', async () => {
    const ids = newIds(3);
    const changed = await Promise.all([
      ...ids.map((id) => db.execute('INSERT INTO token_blacklist (id, expires_at) VALUES (?, 1)', [idToBytes(id)])),
      db.execute('UPDATE token_blacklist SET expires_at = 2'),
      db.execute('DELETE FROM token_blacklist WHERE expires_at = 3'),
    ]);
    expect(changed).toEqual([1, 1, 1, 3, 0]);
  });

  it('exactly one compare-and-set of a group succeeds', async () => {
    const id = newId();
    await db.insert(rowOf(id), UNLIMITED);
    const swap = (_: unknown, index: number) =>
      db.execute('UPDATE token_blacklist SET expires_at = ? WHERE id = ? AND expires_at = 1', [
        index + 2,
        idToBytes(id),
      ]);
    const changed = await Promise.all(Array.from({ length: 50 }, swap));
    expect(changed).toEqual([1, ...Array<number>(49).fill(0)]);
  });

  it('a transaction begins after earlier writes', async () => {
    const id = newId();
    const write = db.insert(rowOf(id), UNLIMITED);
    const found = await db.transaction(UNLIMITED, (tx) =>
      tx.query('SELECT id FROM token_blacklist WHERE id = ?', [idToBytes(id)]),
    );
    await write;
    expect(found).toHaveLength(1);
  });

  it('all are rejected and none is stored if the disk is full', async () => {
    const [[pages]] = [await db.query<{ page_count: number }>('PRAGMA page_count')];
    await db.query(`PRAGMA max_page_count = ${pages!.page_count + 1}`);
    const large = 'x'.repeat(20_000);
    const rows = newIds(6).map((id, index) =>
      index === 3
        ? db.execute('INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES (?, ?, ?, 0, 0)', [
            Buffer.from('large'),
            large,
            'ACTIVE',
          ])
        : db.insert(rowOf(id), UNLIMITED),
    );
    const outcomes = await Promise.allSettled(rows);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DependencyUnavailableError) });
    }
    expect(await db.query('SELECT id FROM token_blacklist')).toHaveLength(0);
    await db.query('PRAGMA max_page_count = 100000');
    await db.insert(rowOf(newId()), UNLIMITED);
  });

  it('writes wait for a locked file, and late ones are dropped', async () => {
    freezeTime();
    other.exec('BEGIN IMMEDIATE');
    const [patient, late, alsoPatient] = newIds(3) as [string, string, string];
    const outcomes = Promise.allSettled([
      db.insert(rowOf(patient), UNLIMITED),
      db.insert(rowOf(late), inMs(50)),
      db.insert(rowOf(alsoPatient), UNLIMITED),
    ]);
    await untilTimers(3);
    await passTime(50);
    other.exec('ROLLBACK');
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await Promise.all([patient, late, alsoPatient].map((id) => isStored(db, id)))).toEqual([true, false, true]);
  });

  it('writes share commits again after the file was locked', async () => {
    const CALLERS = 32;
    const WRITES = 10;
    freezeTime();
    other.exec('BEGIN IMMEDIATE');
    const callers = Array.from({ length: CALLERS }, async () => {
      for (const id of newIds(WRITES)) await db.insert(rowOf(id), UNLIMITED);
    });
    await untilTimers(CALLERS);
    other.exec('ROLLBACK');
    const before = pagesInLog();
    await Promise.all(callers);
    // Each commit adds at least one page.
    expect(pagesInLog() - before).toBeLessThan((CALLERS * WRITES) / 2);
    expect(await db.query('SELECT id FROM token_blacklist')).toHaveLength(CALLERS * WRITES);
  });

  it('rejects each write after its own timeout while the file is locked, and stores none', async () => {
    freezeTime();
    other.exec('BEGIN IMMEDIATE');
    const ids = newIds(4);
    const ended = vi.fn();
    const writes = ids.map((id) => db.insert(rowOf(id), UNLIMITED).finally(ended));
    const outcomes = Promise.allSettled(writes);
    await untilTimers(4);
    await passTime(1_999);
    expect(ended).not.toHaveBeenCalled();
    await passTime(1);
    expect((await outcomes).map(({ status }) => status)).toEqual(ids.map(() => 'rejected'));
    other.exec('ROLLBACK');
    expect(await db.query('SELECT id FROM token_blacklist')).toHaveLength(0);
  });
});
