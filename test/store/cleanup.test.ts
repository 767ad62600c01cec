import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { backgroundOf } from '../../src/platform/jobs/background.ts';
import { cleanup, cleanupStats, startCleanup, type CleanupTarget } from '../../src/platform/jobs/cleanup.ts';
import { takeLease } from '../../src/platform/jobs/lease.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const TARGETS: readonly CleanupTarget[] = [
  { table: 'token_blacklist', key: ['id'], expiresAt: ['expires_at'] },
  { table: 'rate_limits', key: ['key'], expiresAt: ['expire'] },
];
const NOW = 1_000_000;
const clock = () => NOW;

describe.each(ENGINES)('cleanup on %s', (engine) => {
  let test: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    db = test.database;
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    for (const { table } of TARGETS) await db.execute(`DELETE FROM ${table}`);
    await db.execute('DELETE FROM job_leases');
  });

  const options = () => ({ database: db, clock, targets: TARGETS, pauseMs: 0 });
  const remaining = async () => (await db.query<{ n: number }>('SELECT COUNT(*) AS n FROM token_blacklist'))[0]!.n;
  const insert = async (rows: number, expiresAt: number) => {
    for (let left = rows; left > 0; left -= 500) {
      const values = Array.from({ length: Math.min(500, left) }, () => [idToBytes(newId()), expiresAt]);
      const places = values.map(() => '(?, ?)').join(', ');
      await db.execute(`INSERT INTO token_blacklist (id, expires_at) VALUES ${places}`, values.flat());
    }
  };

  it('deletes all expired rows and no others', async () => {
    await insert(2_500, NOW);
    await insert(10, NOW + 1);
    await db.execute('INSERT INTO rate_limits (`key`, points, expire) VALUES (?, 1, ?)', [Buffer.from('old'), NOW - 5]);
    await db.execute('INSERT INTO rate_limits (`key`, points, expire) VALUES (?, 1, NULL)', [Buffer.from('for ever')]);
    expect(await cleanup(options())).toBe(2_501);
    expect(await remaining()).toBe(10);
    expect(await db.query('SELECT points FROM rate_limits')).toHaveLength(1);
    expect(await cleanupStats(options())).toMatchObject({ lastRunAt: NOW, lastCount: 2_501 });
  });

  it('deletes at most one batch per statement', async () => {
    await insert(25, NOW);
    const batches: number[] = [];
    const counted =
      ({ execute }: Statements): Statements['execute'] =>
      async (sql, values) => {
        const changed = await execute(sql, values);
        if (sql.startsWith('DELETE FROM token_blacklist')) batches.push(changed);
        return changed;
      };
    const counting: Database = {
      ...db,
      execute: counted(db),
      transaction: (deadline, work) => db.transaction(deadline, (tx) => work({ ...tx, execute: counted(tx) })),
    };
    await cleanup({ ...options(), database: counting, batchSize: 10 });
    expect(batches).toEqual([10, 10, 5]);
  });

  it('stops after the current batch', async () => {
    await insert(25, NOW);
    expect(await cleanup({ ...options(), batchSize: 10, signal: AbortSignal.abort() })).toBe(10);
    expect(await remaining()).toBe(15);
  });

  it('does nothing if another process holds the lease', async () => {
    await insert(5, NOW);
    const lease = await takeLease({ database: backgroundOf(db), clock, name: 'cleanup', durationMs: 1_000 });
    expect(await cleanup(options())).toBeUndefined();
    expect(await remaining()).toBe(5);
    await lease!.release(0);
    expect(await cleanup(options())).toBe(5);
  });

  it('reports the backlog and the age of its oldest row', async () => {
    await insert(3, NOW - 500);
    await insert(2, NOW + 1);
    expect(await cleanupStats(options())).toEqual({
      tables: [
        { table: 'token_blacklist', backlog: 3, oldestMs: 500 },
        { table: 'rate_limits', backlog: 0, oldestMs: 0 },
      ],
      lastRunAt: undefined,
      lastCount: undefined,
    });
  });

  it('repeats until it is stopped', async () => {
    await insert(5, NOW);
    const running = startCleanup({ ...options(), intervalMs: 5, log: pino({ level: 'silent' }) });
    await expect.poll(remaining).toBe(0);
    await running.stop();
    await insert(1, NOW);
    expect((await running.stats()).tables[0]).toMatchObject({ backlog: 1 });
  });
});
