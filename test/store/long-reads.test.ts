// Reads that can take long: few at once, on SQLite in threads, and only as long as their callers wait.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED, type Deadline } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { inMs } from '../support/deadlines.ts';
import { ROUNDS } from '../support/rounds.ts';

const reader = (deadline: Deadline = UNLIMITED, tenantId = 'acme') => ({ deadline, tenantId });
const UNAVAILABLE = { name: 'DependencyUnavailableError' };

describe.each(ENGINES)('long reads on %s', (engine) => {
  it('are limited, and counted while they run and wait', async () => {
    const test = await createTestDatabase(engine);
    try {
      const { longReads, queryLong, poolState } = test.database;
      const reads = Array.from({ length: 8 }, () => queryLong('SELECT 1 AS one', [], reader()));
      // Two threads of SQLite, or a quarter of the 10 connections to a server.
      const most = engine === 'sqlite' ? 2 : 3;
      expect({ running: longReads.running, queued: longReads.queued }).toEqual({ running: most, queued: 8 - most });
      expect(await Promise.all(reads)).toHaveLength(8);
      expect({ running: longReads.running, queued: longReads.queued }).toEqual({ running: 0, queued: 0 });
      if (engine !== 'sqlite') expect(poolState().idle).toBeLessThanOrEqual(most);
    } finally {
      await test.drop();
    }
  });
});

describe('a long read on SQLite', () => {
  let test: TestDatabase;
  let database: Database;
  /** A statement that never ends by itself. */
  let endless: string;

  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    ({ database } = test);
    await database.execute('CREATE TABLE one (name TEXT)');
    await database.execute("INSERT INTO one (rowid, name) VALUES (4096, 'first')");
    endless = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT COUNT(*) FROM n CROSS JOIN one o WHERE ${database.whileWanted('o')}`;
  });
  afterEach(() => test.drop());

  it('sees each commit before it, and no later one changes its rows', async () => {
    for (let row = 1; row <= 20; row += 1) {
      await database.execute('INSERT INTO one (name) VALUES (?)', [newId()]);
      const [counted] = await database.queryLong<{ rows: number }>('SELECT COUNT(*) AS rows FROM one', [], reader());
      expect(counted).toEqual({ rows: row + 1 });
    }
  });

  it('returns the values that a short read returns', async () => {
    const sql = 'SELECT ? AS text, ? AS number, ? AS bytes, NULL AS empty';
    const values = ['ä', 7, Buffer.from('bytes')];
    const [long] = await database.queryLong(sql, values, reader());
    const [short] = await database.query(sql, values);
    expect({ ...long }).toEqual({ ...short });
  });

  it('does not block short reads and writes', async () => {
    const caller = new AbortController();
    let hasEnded = false;
    const long = database.queryLong(endless, [], reader({ at: Infinity, signal: caller.signal }));
    const ended = long.catch(() => (hasEnded = true));
    for (let write = 0; write < 10; write += 1) {
      await database.execute('INSERT INTO one (name) VALUES (?)', ['x']);
      await database.query('SELECT 1 AS one');
    }
    expect(hasEnded).toBe(false);
    caller.abort();
    await ended;
    expect(hasEnded).toBe(true);
  });

  it('ends at the deadline of its caller, and when the caller disconnects, and leaves its thread to others', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const caller = new AbortController();
      const reads = [
        database.queryLong(endless, [], reader(inMs(50))),
        database.queryLong(endless, [], reader({ ...UNLIMITED, signal: caller.signal })),
      ];
      const waiting = database.queryLong('SELECT 1 AS one', [], reader(UNLIMITED, 'other'));
      setImmediate(() => caller.abort());
      const outcomes = await Promise.allSettled(reads);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect({ ...(await waiting)[0] }).toEqual({ one: 1 });
    }
  });

  it('rejects with the error of SQLite, and cannot write', async () => {
    const read = (sql: string) => database.queryLong(sql, [], reader());
    await expect(read('SELECT nothing FROM nowhere')).rejects.toMatchObject({ name: 'DatabaseError' });
    await expect(read('DELETE FROM one')).rejects.toMatchObject(UNAVAILABLE);
    expect(await database.query('SELECT name FROM one')).toHaveLength(1);
  });

  it('is interrupted when the database is closed', async () => {
    const read = database.queryLong(endless, [], reader());
    const outcome = expect(read).rejects.toMatchObject(UNAVAILABLE);
    await database.close();
    await outcome;
  });
});
