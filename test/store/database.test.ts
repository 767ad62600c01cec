import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { isOver } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { builderOf } from '../../src/platform/db/query/builder.ts';
import { DatabaseError } from '../../src/platform/db/errors.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Database, SqlValue } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { createTestDatabase, ENGINES, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { inMs } from '../support/deadlines.ts';
import { runQuery } from '../support/run-query.ts';

describe.each(ENGINES)('database on %s', (engine) => {
  let test: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    db = test.database;
  });
  afterAll(() => test.drop());
  beforeEach(() => db.execute('DELETE FROM tenants'));

  const insert = (id: string, name = 'Name', target: Pick<Database, 'execute'> = db) =>
    target.execute('INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?)', [
      Buffer.from(id),
      name,
      'ACTIVE',
      1_795_000_000_123,
      0,
    ]);
  const ids = async () =>
    (await db.query<{ id: Uint8Array }>('SELECT id FROM tenants ORDER BY id')).map((row) =>
      Buffer.from(row.id).toString(),
    );

  it('returns stored values: text, times as numbers, keys as bytes', async () => {
    expect(await insert('acme', 'Ünïcode 🌷')).toBe(1);
    const [row] = await db.query('SELECT id, name, created_at FROM tenants WHERE id = ?', [Buffer.from('acme')]);
    expect(row).toEqual({ id: expect.any(Uint8Array), name: 'Ünïcode 🌷', created_at: 1_795_000_000_123 });
    expect(Buffer.from(row!['id'] as Uint8Array).toString()).toBe('acme');
  });

  it('accepts any Uint8Array, also a part of a larger buffer', async () => {
    const id = newId();
    const large = new Uint8Array(64);
    large.set(idToBytes(id), 24);
    await db.execute('INSERT INTO token_blacklist (id, expires_at) VALUES (?, ?)', [large.subarray(24, 40), 1]);
    expect(await db.query('SELECT expires_at FROM token_blacklist WHERE id = ?', [idToBytes(id)])).toHaveLength(1);
  });

  it('counts matched rows, also unchanged ones', async () => {
    await insert('a');
    await insert('b');
    expect(await db.execute("UPDATE tenants SET name = 'New'")).toBe(2);
    expect(await db.execute("UPDATE tenants SET name = 'New'")).toBe(2);
    expect(await db.execute('UPDATE tenants SET name = ? WHERE id = ?', ['x', Buffer.from('c')])).toBe(0);
    expect(await db.execute('DELETE FROM tenants WHERE id = ?', [Buffer.from('a')])).toBe(1);
  });

  it('compares keys byte by byte', async () => {
    for (const id of ['a', 'A', 'á', 'a ']) await insert(id);
    expect(await db.query('SELECT 1 AS one FROM tenants WHERE id = ?', [Buffer.from('a')])).toHaveLength(1);
    expect(await db.query('SELECT 1 AS one FROM tenants WHERE id = ?', [Buffer.from('')])).toHaveLength(0);
  });

  it.each([undefined, NaN, Infinity, 1.5, true, {}, [], new Date(0), 1n, 2 ** 53])(
    'rejects the value %s',
    async (value) => {
      const values = [value as SqlValue];
      await expect(db.query('SELECT 1 AS one FROM tenants WHERE name = ?', values)).rejects.toThrow(TypeError);
      await expect(db.execute('DELETE FROM tenants WHERE name = ?', values)).rejects.toThrow(/SQL value 1 of 1 is/);
    },
  );

  it('distinguishes a duplicate key from other errors, without SQL and values in messages', async () => {
    await insert('secret-value');
    const duplicate = await insert('secret-value').catch((error: unknown) => error);
    expect(duplicate).toBeInstanceOf(DatabaseError);
    expect(duplicate).toMatchObject({ kind: 'duplicate', safeMessage: true });
    const wrong = await db
      .query("SELECT nothing FROM tenants WHERE name = 'secret-value'")
      .catch((error: unknown) => error);
    expect(wrong).toMatchObject({ kind: 'other', safeMessage: true });
    const composed = await runQuery(db, builderOf(db)('tenants').where({ nothing: 'secret-value' })).catch(
      (error: unknown) => error,
    );
    for (const error of [duplicate, wrong, composed] as Error[]) {
      expect(error).toBeInstanceOf(DatabaseError);
      expect(`${error.message}${JSON.stringify(error)}`).not.toMatch(/secret-value|tenants|nothing|select/i);
      expect(error.cause).toBeUndefined();
    }
  });

  it('runs composed queries like plain SQL, also in a transaction', async () => {
    await insert('a');
    const composed = builderOf(db)('tenants').where('name', 'Name').limit(1).select('name', 'created_at');
    expect(await runQuery(db, composed)).toEqual([{ name: 'Name', created_at: 1_795_000_000_123 }]);
    expect(await db.transaction(inMs(60_000), (tx) => runQuery(tx, composed))).toHaveLength(1);
    await expect((async () => await composed)()).rejects.toThrow();
  });

  describe('a transaction', () => {
    it('commits and returns the result of its work', async () => {
      const result = await db.transaction(inMs(60_000), async (tx) => {
        await insert('a', 'Name', tx);
        return (await tx.query('SELECT id FROM tenants')).length;
      });
      expect(result).toBe(1);
      expect(await ids()).toEqual(['a']);
    });

    it('rolls back when its work throws, and passes the error on', async () => {
      const error = new Error('no');
      const work = db.transaction(inMs(60_000), async (tx) => {
        await insert('a', 'Name', tx);
        throw error;
      });
      await expect(work).rejects.toBe(error);
      expect(await ids()).toEqual([]);
    });

    it('rolls everything back when a statement in the middle fails', async () => {
      await insert('taken');
      const work = db.transaction(inMs(60_000), async (tx) => {
        await insert('a', 'Name', tx);
        await insert('taken', 'Name', tx);
      });
      await expect(work).rejects.toMatchObject({ kind: 'duplicate' });
      expect(await ids()).toEqual(['taken']);
      await db.transaction(inMs(60_000), (tx) => insert('b', 'Name', tx));
      expect(await ids()).toEqual(['b', 'taken']);
    });

    it('resets its connection after any end', async () => {
      const one = connectDatabase({ url: test.url, poolSize: 1, log: pino({ level: 'silent' }) });
      const short = inMs(100);
      const ends: Record<string, Promise<unknown>> = {
        committed: one.transaction(inMs(60_000), (tx) => insert('committed', 'Name', tx)),
        failed: one.transaction(inMs(60_000), () => Promise.reject(new Error('stop'))),
        late: one.transaction(short, async (tx) => {
          while (!isOver(short)) await tx.query('SELECT 1 AS one');
        }),
      };
      await Promise.allSettled(Object.values(ends));
      await insert('next', 'Name', one);
      expect(await ids()).toEqual(['committed', 'next']);
      await one.close();
    });

    it('does not begin after its deadline', async () => {
      let begun = false;
      const work = db.transaction(inMs(-1), async () => {
        begun = true;
      });
      await expect(work).rejects.toBeInstanceOf(DependencyUnavailableError);
      expect(begun).toBe(false);
    });

    it('commits nothing once its deadline has passed', async () => {
      const deadline = inMs(60);
      const work = db.transaction(deadline, async (tx) => {
        await insert('a', 'Name', tx);
        while (!isOver(deadline)) await tx.query('SELECT 1 AS one');
      });
      await expect(work).rejects.toBeInstanceOf(DependencyUnavailableError);
      expect(await ids()).toEqual([]);
    });

    it('commits nothing after its caller has cancelled', async () => {
      const caller = new AbortController();
      const work = db.transaction({ ...inMs(60_000), signal: caller.signal }, async (tx) => {
        await insert('a', 'Name', tx);
        caller.abort();
      });
      await expect(work).rejects.toBeInstanceOf(DependencyUnavailableError);
      expect(await ids()).toEqual([]);
    });

    it('cannot be used after its end', async () => {
      let late: Pick<Database, 'execute'> | undefined;
      await db.transaction(inMs(60_000), async (tx) => {
        late = tx;
      });
      await expect(insert('a', 'Name', late)).rejects.toThrow('The transaction has ended');
    });
  });

  it('sends one statement per query, also a composed one', async () => {
    const two = "DELETE FROM tenants WHERE id = ''; DELETE FROM tenants WHERE id = 'acme'";
    await insert('acme');
    const attempts = [
      () => db.execute(two),
      () => db.query(two),
      () => db.transaction(inMs(60_000), (tx) => tx.execute(two)),
    ];
    for (const attempt of attempts) await attempt().catch(() => {});
    expect(await ids()).toEqual(['acme']);
  });

  it('checks deadlines with its own clock', async () => {
    const holds = async (ms: number) =>
      (
        await db.query(`SELECT 1 AS one FROM (SELECT 1 AS one) AS once WHERE ${db.beforeDeadline}`, [
          db.deadlineValue(inMs(ms)),
        ])
      ).length === 1;
    expect(await holds(60_000)).toBe(true);
    // Beyond the error of a measured difference of the clocks.
    expect(await holds(-1_000)).toBe(false);
  });

  it('responds to a ping', async () => {
    await expect(db.ping(1_000)).resolves.toBeUndefined();
  });

  it('rejects queries after it was closed', async () => {
    const other = await createTestDatabase(engine);
    await other.drop();
    await expect(other.database.query('SELECT 1 AS one')).rejects.toBeInstanceOf(DependencyUnavailableError);
  });
});

it('prepares the statements of lists', async () => {
  const { url, drop } = await createTestDatabase(SERVER_ENGINE);
  const one = connectDatabase({ url, poolSize: 1, log: pino({ level: 'silent' }) });
  const prepared = async () => {
    const [row] = await one.query<{ Value: string }>("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'");
    return Number(row!.Value);
  };
  const list = (id: string) =>
    runQuery(one, builderOf(one)('tenants').where('id', Buffer.from(id)).orderBy('id').limit(20).offset(0));
  const before = await prepared();
  for (const id of ['a', 'b', 'c']) await list(id);
  expect((await prepared()) - before).toBe(1);
  await one.close();
  await drop();
});
