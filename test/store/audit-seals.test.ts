// The seals of audit records: order, changes that the verification finds, and removals that it accepts.
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditCleanupTargets } from '../../src/auth/audit/trail/audit-retention.ts';
import { anonymizeRecords, insertAuditRecords, type NewAuditRecord } from '../../src/auth/audit/trail/audit-store.ts';
import { createSealer, sealBatch } from '../../src/auth/audit/seals/seal-records.ts';
import { findSeal, lastSeal } from '../../src/auth/audit/seals/seal-store.ts';
import { verifyTrail, type KeptHead, type TrailProblem } from '../../src/auth/audit/seals/verify-trail.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Database, SqlValue } from '../../src/platform/db/types.ts';
import { backgroundOf, createBackground } from '../../src/platform/jobs/background.ts';
import { createBatchSize } from '../../src/platform/jobs/batch-size.ts';
import { cleanup } from '../../src/platform/jobs/cleanup.ts';
import { SLICE_MS } from '../../src/platform/jobs/slices.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const DAY_MS = 86_400_000;
const key = randomBytes(32);
let test: TestDatabase;
let clock: TestClock;

const record = (tenantId: string | undefined, more: Partial<NewAuditRecord> = {}): NewAuditRecord => ({
  id: newId(),
  tenantId,
  at: clock.now(),
  event: 'login.succeeded',
  accountId: newId(),
  username: 'ann@shop.test',
  clientAddress: '192.0.2.1',
  requestId: 'one',
  details: { method: 'pwd' },
  ...more,
});

async function insert(...records: NewAuditRecord[]): Promise<void> {
  await test.database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
}

const sealer = () => createSealer({ database: test.database, key, clock: clock.now });
let job: ReturnType<typeof sealer>;
const seal = () => job.sealDue();
const execute = (sql: string, ...values: (string | number | Uint8Array | null)[]) => test.database.execute(sql, values);

interface Found {
  readonly kind: TrailProblem['kind'];
  readonly sequence?: number | undefined;
  readonly lastSequence?: number;
  /** Its tenant and number. */
  readonly seal?: string;
}

async function problems(head?: KeptHead) {
  const found: TrailProblem[] = [];
  await verifyTrail({ database: test.database, key, head, onProblem: (problem) => void found.push(problem) });
  return found.map(({ kind, tenantId, sequence, lastSequence, seal: number }): Found =>
    number === undefined
      ? { kind, sequence, ...(lastSequence !== undefined && { lastSequence }) }
      : { kind, seal: `${tenantId} ${number}` },
  );
}

const counts = () => verifyTrail({ database: test.database, key, onProblem: () => undefined });
const sequences = async () =>
  (await test.database.query<{ sequence: number }>('SELECT sequence FROM audit_records ORDER BY sequence')).map(
    (row) => row.sequence,
  );

/** Seals of acme, 1 to 3, and of globex, 4 and 5; then of acme, 6. */
async function makeTrail() {
  const records = [record('acme'), record('acme'), record('acme'), record('globex'), record('globex')];
  await insert(...records);
  await seal();
  clock.advance(1_000);
  const last = record('acme');
  await insert(last);
  await seal();
  return [...records, last];
}

describe.each(ENGINES)('seals on %s', (engine) => {
  beforeAll(async () => {
    test = await createTestDatabase(engine);
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    clock = testClock();
    job = sealer();
    for (const table of ['audit_records', 'audit_seals', 'job_leases']) await execute(`DELETE FROM ${table}`);
  });

  it('number the records by batch, tenant and time', async () => {
    const records = await makeTrail();
    await insert(record(undefined));
    await seal();
    const rows = await test.database.query<{ id: Uint8Array; sequence: number }>(
      'SELECT id, sequence FROM audit_records ORDER BY sequence',
    );
    expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(Buffer.from(rows[3]!.id)).toEqual(idToBytes(records[3]!.id));
    expect(Buffer.from(rows[5]!.id)).toEqual(idToBytes(records[5]!.id));
    expect(await problems()).toEqual([]);
    expect(await counts()).toEqual({ records: 7, seals: 7, removed: 0, erased: 0 });
  });

  it('are written once if several processes hold the lease', async () => {
    const records = Array.from({ length: 40 }, (_, index) => record(index % 2 === 0 ? 'acme' : undefined));
    await insert(...records);
    const options = { database: backgroundOf(test.database), key, clock: clock.now };
    const sealTen = () => sealBatch(options, { kind: 'new' }, createBatchSize({ min: 10, max: 10 }));
    await Promise.allSettled(Array.from({ length: 6 }, sealTen));
    while ((await sealTen()).count > 0);
    expect(await sequences()).toEqual(records.map((_, index) => index + 1));
    expect(await problems()).toEqual([]);
  });

  it.each([
    ['as it was inserted', false],
    ['that an erasure has changed before', true],
  ])('come with the next run if an erasure changes a record %s after it was read', async (_, isChangedBefore) => {
    const accountId = newId();
    await insert(record('acme', { accountId }), record('acme'));
    if (isChangedBefore)
      await execute(
        'UPDATE audit_records SET username = NULL, seal = ? WHERE account_id = ?',
        Buffer.alloc(0),
        idToBytes(accountId),
      );
    let isErased = false;
    const query: Database['query'] = async <R>(sql: string, values?: readonly SqlValue[]) => {
      const rows = await test.database.query<R>(sql, values);
      if (sql.includes('as_inserted') && !isErased) {
        isErased = true;
        await anonymizeRecords(test.database, { tenantId: 'acme', accountId }, 10);
      }
      return rows;
    };
    const interrupted = createSealer({ database: { ...test.database, query }, key, clock: clock.now });
    expect(await interrupted.sealDue()).toBe(0);
    expect(isErased).toBe(true);
    expect(await sequences()).toEqual([null, null]);
    expect(await interrupted.sealDue()).toBe(2);
    expect(await problems()).toEqual([]);
    const rows = await test.database.query('SELECT client_address AS address FROM audit_records ORDER BY sequence');
    expect(rows).toContainEqual({ address: 'erased' });
  });

  it('cover all that wait in one run, in batches', async () => {
    const eighty = () => Array.from({ length: 80 }, () => record('acme'));
    await insert(...eighty());
    await execute('UPDATE audit_records SET sequence = 0');
    await insert(...eighty());
    expect(await job.sealDue()).toBe(160);
    expect((await sequences()).filter((sequence) => sequence > 0)).toEqual(Array.from({ length: 80 }, (_, i) => i + 1));
    expect((await sequences()).filter((sequence) => sequence < 0)).toHaveLength(80);
    expect(await problems()).toEqual([]);
    // The first batch has 25 records, or up to 100. The next ones grow if the database is fast.
    const batches = await test.database.query<{ size: number }>(
      "SELECT last_sequence - first_sequence + 1 AS size FROM audit_seals WHERE CAST(tenant_id AS CHAR) = 'acme' ORDER BY number",
    );
    expect(batches[0]!.size).toBe(engine === 'sqlite' ? 25 : 80);
    expect(batches.length).toBeLessThanOrEqual(engine === 'sqlite' ? 8 : 2);
  });

  it('let calls run between any two batches', async () => {
    await insert(...Array.from({ length: 400 }, () => record('acme')));
    let [turns, isSealing] = [0, true];
    const calls = (async () => {
      for (; isSealing; turns += 1) await nextTurn();
    })();
    const turnsOfBatches: number[] = [];
    const transaction: Database['transaction'] = (deadline, work) => {
      turnsOfBatches.push(turns);
      return test.database.transaction(deadline, work);
    };
    // A clock by which each unit fills a slice.
    let time = 0;
    const sleep = async () => {
      await nextTurn();
    };
    const timing = { now: () => (time += SLICE_MS), sleep };
    const load = { areWaiting: () => false, isLoopBusy: () => false };
    const database = createBackground({ ...test.database, transaction }, timing, load);
    expect(await createSealer({ database, key, clock: clock.now }).sealDue()).toBe(400);
    isSealing = false;
    await calls;
    const between = turnsOfBatches.slice(1).map((turn, index) => turn - turnsOfBatches[index]!);
    expect(between.length).toBeGreaterThan(1);
    expect(Math.min(...between)).toBeGreaterThan(0);
    expect(await problems()).toEqual([]);
  });

  it('of records from before there were seals have negative numbers', async () => {
    await insert(...Array.from({ length: 5 }, (_, day) => record('acme', { at: clock.now() - day * DAY_MS })));
    await execute('UPDATE audit_records SET sequence = 0');
    await insert(record('acme'));
    // Old records are found by the complete runs.
    expect(await job.sealDue({ isRecentOnly: true })).toBe(1);
    expect(await seal()).toBe(5);
    expect((await sequences()).filter((sequence) => sequence > 0)).toEqual([1]);
    expect((await sequences()).filter((sequence) => sequence < 0)).toHaveLength(5);
    // A seal for each day, so that the retention can remove one.
    expect((await lastSeal(test.database, 'acme'))!.number).toBe(6);
    expect(await problems()).toEqual([]);
  });

  it.each<[string, string, object[]]>([
    ['a changed event', "UPDATE audit_records SET event = 'x' WHERE sequence = 2", [{ kind: 'changed', sequence: 2 }]],
    [
      'a changed address',
      "UPDATE audit_records SET client_address = 'x' WHERE sequence = 4",
      [{ kind: 'changed', sequence: 4 }],
    ],
    [
      'a removed username',
      'UPDATE audit_records SET username = NULL WHERE sequence = 4',
      [{ kind: 'changed', sequence: 4 }],
    ],
    [
      'a removed seal of a record',
      'UPDATE audit_records SET seal = NULL WHERE sequence = 1',
      [{ kind: 'changed', sequence: 1 }],
    ],
    ['a removed record', 'DELETE FROM audit_records WHERE sequence = 2', [{ kind: 'removed', sequence: 2 }]],
    [
      'a record that was hidden again',
      'UPDATE audit_records SET sequence = NULL WHERE sequence = 5',
      [{ kind: 'removed', sequence: 5 }],
    ],
    ['all records of a seal', 'DELETE FROM audit_records WHERE sequence = 6', [{ kind: 'removed', sequence: 6 }]],
    [
      'a record in a later place',
      'UPDATE audit_records SET sequence = 7 WHERE sequence = 6',
      [
        { kind: 'removed', sequence: 6 },
        { kind: 'inserted', sequence: 7 },
      ],
    ],
    [
      'a record of another tenant',
      "UPDATE audit_records SET tenant_id = CAST('globex' AS BINARY) WHERE sequence = 1",
      [
        { kind: 'inserted', sequence: 1 },
        { kind: 'removed', sequence: 1 },
      ],
    ],
    [
      'a changed seal',
      'UPDATE audit_seals SET newest_at = 1 WHERE last_sequence = 5 AND records_at IS NOT NULL',
      [{ kind: 'seal-changed', seal: 'globex 1' }],
    ],
    [
      // In memory, one problem for each place would not fit.
      'a seal that names places without records',
      'UPDATE audit_seals SET first_sequence = -9000000000000000 WHERE last_sequence = 5 AND records_at IS NOT NULL',
      [
        { kind: 'seal-changed', seal: 'globex 1' },
        { kind: 'removed', sequence: -9_000_000_000_000_000, lastSequence: 3 },
        { kind: 'seal-changed', seal: '* 1' },
      ],
    ],
    [
      'a batch that names places without records',
      'UPDATE audit_seals SET first_sequence = -9000000000000000 WHERE last_sequence = 5 AND records_at IS NULL',
      [{ kind: 'seal-changed', seal: '* 1' }],
    ],
    [
      'all records of a seal of several',
      'DELETE FROM audit_records WHERE sequence < 4',
      [{ kind: 'removed', sequence: 1, lastSequence: 3 }],
    ],
    [
      'a removed seal',
      'DELETE FROM audit_seals WHERE last_sequence = 6 AND records_at IS NOT NULL',
      [
        { kind: 'inserted', sequence: 6 },
        { kind: 'seal-changed', seal: '* 2' },
      ],
    ],
    [
      'a removed batch',
      'DELETE FROM audit_seals WHERE number = 1',
      [
        { kind: 'seal-removed', seal: '* 2' },
        { kind: 'seal-removed', seal: 'acme 2' },
      ],
    ],
    ['a removed last batch', 'DELETE FROM audit_seals WHERE last_sequence = 6', [{ kind: 'inserted', sequence: 6 }]],
    [
      'a removal that nobody signed',
      'UPDATE audit_seals SET removed_at = 2, kept_ms = 1, removal_mac = mac WHERE last_sequence = 6',
      [
        { kind: 'seal-changed', seal: '* 2' },
        { kind: 'seal-changed', seal: 'acme 2' },
      ],
    ],
  ])('show %s', async (_, sql, expected) => {
    await makeTrail();
    await execute(engine === 'sqlite' ? sql.replace('AS BINARY', 'AS BLOB') : sql);
    expect(await problems()).toEqual(expected);
  });

  it('show a record that was inserted beside another one, and one of another chain', async () => {
    const [first] = await makeTrail();
    await insert(record('acme'));
    await execute('UPDATE audit_records SET sequence = 3 WHERE sequence IS NULL');
    await insert(record('acme', { id: newId(), at: first!.at - DAY_MS }));
    await execute('UPDATE audit_records SET sequence = -9 WHERE sequence IS NULL');
    // Of the two records in one place, either is read first.
    const inserted = (await problems()).filter(({ kind }) => kind === 'inserted');
    expect(inserted.map(({ sequence }) => sequence)).toEqual([3, -9]);
  });

  it.each([
    '-9223372036854775808',
    '-9007199254740992',
    '-4503599627370496',
    '9007199254740992',
    '9223372036854775807',
  ])('show a record with the place %s, which no seal can have', async (place) => {
    await makeTrail();
    await insert(record('acme'));
    await execute(`UPDATE audit_records SET sequence = ${place} WHERE sequence IS NULL`);
    expect(await problems()).toEqual([{ kind: 'inserted', sequence: Number(place) }]);
  });

  it('show a cut tail beside a head that was kept elsewhere', async () => {
    await makeTrail();
    const heads: KeptHead[] = [];
    for (const tenant of ['acme', '*']) heads.push((await findSeal(test.database, tenant, 2))!);
    for (const head of heads) expect(await problems(head)).toEqual([]);
    await execute('DELETE FROM audit_records WHERE sequence = 6');
    await execute('DELETE FROM audit_seals WHERE last_sequence = 6');
    expect(await problems()).toEqual([]);
    for (const head of heads) expect(await problems(head)).toEqual([{ kind: 'cut', seal: `${head.tenant} 2` }]);
    await insert(record('acme'));
    await seal();
    for (const head of heads)
      expect(await problems(head)).toEqual([{ kind: 'seal-changed', seal: `${head.tenant} 2` }]);
  });

  it('fit after an erasure of an account, before and after the record was sealed', async () => {
    const accountId = newId();
    const erase = () => anonymizeRecords(test.database, { tenantId: 'acme', accountId }, 1);
    const records = [
      record('acme', { accountId }),
      record('acme', { actorId: accountId }),
      record('acme', { accountId }),
    ];
    await insert(...records.slice(0, 2));
    await seal();
    await insert(records[2]!);
    expect((await erase()).size).toBe(3);
    expect((await erase()).size).toBe(0);
    await seal();
    expect(await problems()).toEqual([
      { kind: 'changed', sequence: 1 },
      { kind: 'changed', sequence: 2 },
    ]);
    await insert(record(undefined, { event: 'account.erased', accountId }));
    expect(await problems()).toEqual([]);
    expect(await counts()).toMatchObject({ records: 3, erased: 2 });
    await execute("UPDATE audit_records SET username = 'eve' WHERE sequence = 2");
    expect(await problems()).toEqual([{ kind: 'changed', sequence: 2 }]);
    const rows = await test.database.query<{ username: string; seal: Uint8Array }>(
      'SELECT username, seal FROM audit_records WHERE sequence = 1',
    );
    expect(rows[0]!.username).toBeNull();
    expect(rows[0]!.seal).toHaveLength(49);
  });

  it('stay after the retention has removed whole seals, and after the erasure of a tenant', async () => {
    await makeTrail();
    const removeExpired = () => {
      const targets = auditCleanupTargets({ key, retentionMs: DAY_MS });
      return cleanup({ database: test.database, clock: clock.now, targets, pauseMs: 0, batchSize: 2 });
    };
    clock.advance(DAY_MS - 1_000);
    expect(await removeExpired()).toBe(5);
    expect(await sequences()).toEqual([6]);
    expect(await counts()).toMatchObject({ records: 1, removed: 5 });
    expect(await problems()).toEqual([]);
    await execute('DELETE FROM audit_records');
    expect(await problems()).toEqual([{ kind: 'removed', sequence: 6 }]);
    await insert(record(undefined, { event: 'tenant.erased', details: { tenant: 'acme' } }));
    await seal();
    expect(await problems()).toEqual([]);
    // Records of a new tenant with the same id are not covered by the erasure.
    await insert(record('acme'));
    await seal();
    await execute('DELETE FROM audit_records WHERE sequence = 8');
    expect(await problems()).toEqual([{ kind: 'removed', sequence: 8 }]);
    // A removal before its time, signed by the service.
    await execute('UPDATE audit_seals SET records_at = 1 WHERE last_sequence = 8 AND records_at IS NOT NULL');
    expect(await removeExpired()).toBe(1);
    expect(await problems()).toEqual([{ kind: 'seal-changed', seal: 'acme 3' }]);
  });

  it('fit while the retention removes records', async () => {
    await makeTrail();
    await insert(record('initech'), record('umbrella'));
    await seal();
    clock.advance(2 * DAY_MS);
    const targets = auditCleanupTargets({ key, retentionMs: DAY_MS });
    const removeOne = () => targets[0]!.remove!({ now: clock.now(), size: 1 }, backgroundOf(test.database));
    // Removes the records of a seal before each statement of the verification that reads records or their seals.
    const database = Object.create(test.database) as Database;
    database.query = async <R>(sql: string, values?: readonly SqlValue[]) => {
      if (/sequence <= \?/.test(sql)) await removeOne();
      return test.database.query<R>(sql, values);
    };
    const found: TrailProblem[] = [];
    await verifyTrail({ database, key, onProblem: (problem) => void found.push(problem) });
    expect(found).toEqual([]);
    expect((await counts()).removed).toBeGreaterThan(0);
  });

  it('show no removal if a tenant is erased meanwhile', async () => {
    await makeTrail();
    let isErased = false;
    const erase = async () => {
      if (isErased) return;
      isErased = true;
      await execute('DELETE FROM audit_records WHERE sequence IN (1, 2, 3, 6)');
      await insert(record(undefined, { event: 'tenant.erased', details: { tenant: 'acme' } }));
    };
    const database = Object.create(test.database) as Database;
    database.query = async <R>(sql: string, values?: readonly SqlValue[]) => {
      if (/r\.sequence <= \?/.test(sql)) await erase();
      return test.database.query<R>(sql, values);
    };
    const found: TrailProblem[] = [];
    const { removed } = await verifyTrail({ database, key, onProblem: (problem) => void found.push(problem) });
    expect({ removed, found }).toEqual({ removed: 4, found: [] });
  });

  it('of records that are stored long after their event come with the next complete run', async () => {
    await insert(record('acme', { at: clock.now() - 11 * 60_000 }), record('acme', { at: clock.now() - 9 * 60_000 }));
    expect(await job.sealDue({ isRecentOnly: true })).toBe(1);
    expect(await job.sealDue({ isRecentOnly: true })).toBe(0);
    expect(await seal()).toBe(1);
    expect(await problems()).toEqual([]);
  });

  it('of records that are stored late after an outage of the database do not wait for the next complete run', async () => {
    let isDown = true;
    const query: Database['query'] = async (...args) => {
      if (isDown) throw new Error('down');
      return test.database.query(...args);
    };
    const database: Database = { ...test.database, query };
    const recovering = createSealer({ database, key, clock: clock.now });
    await expect(recovering.sealDue({ isRecentOnly: true })).rejects.toThrow('down');
    isDown = false;
    expect(await recovering.sealDue({ isRecentOnly: true })).toBe(0);
    await insert(record('acme', { at: clock.now() - 11 * 60_000 }));
    expect(await recovering.sealDue({ isRecentOnly: true })).toBe(1);
    for (let run = 0; run < 10; run += 1) await recovering.sealDue({ isRecentOnly: true });
    await insert(record('acme', { at: clock.now() - 11 * 60_000 }));
    expect(await recovering.sealDue({ isRecentOnly: true })).toBe(0);
  });

  it('are reported as late until a complete run finds them made', async () => {
    const other = sealer();
    await insert(record('acme'));
    expect(await other.sealDue()).toBe(1);
    const lag = () => job.metrics[0]!.read()[0]!.value;
    await insert(record('acme', { at: clock.now() - 660_000 }), record('acme'));
    expect([await job.sealDue(), lag()]).toEqual([0, 660]);
    expect([await job.sealDue({ isRecentOnly: true }), lag()]).toEqual([0, 660]);
    expect(await other.sealDue()).toBe(2);
    expect([await job.sealDue({ isRecentOnly: true }), lag()]).toEqual([0, 660]);
    expect([await job.sealDue(), lag()]).toEqual([0, 0]);
    // A recent one is sealed before the next complete run.
    await insert(record('acme'));
    await job.sealDue();
    await other.sealDue();
    clock.advance(5_000);
    expect([await job.sealDue({ isRecentOnly: true }), lag()]).toEqual([0, 0]);
  });

  it('are made by one process at a time, and by another one when it stops', async () => {
    const [one, other] = [sealer(), sealer()];
    await insert(record('acme'));
    expect(await one.sealDue()).toBe(1);
    await insert(record('acme'));
    expect(await other.sealDue()).toBe(0);
    await one.release();
    expect(await other.sealDue()).toBe(1);
    await insert(record('acme'));
    clock.advance(10_000);
    // The lease of a process that stands still expires.
    expect(await one.sealDue()).toBe(1);
    expect(await other.sealDue()).toBe(0);
    expect(one.metrics[0]!.read()).toEqual([{ value: 10 }]);
    await one.sealDue();
    expect(one.metrics[0]!.read()).toEqual([{ value: 0 }]);
  });
});
