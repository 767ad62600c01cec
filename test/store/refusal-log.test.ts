// Refusals that are stored or counted after the response: their bounds, and failures of the database.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Refusal } from '../../src/auth/audit/trail/refusal-counts.ts';
import { createRefusalLog, type RefusalLog } from '../../src/auth/audit/trail/refusal-log.ts';
import { insertAuditRecords, type NewAuditRecord } from '../../src/auth/audit/trail/audit-store.ts';
import { bytesToId, newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { deleteTenant, insertTenant } from '../../src/auth/tenancy/tenant-store.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { testClock, type TestClock } from '../support/clock.ts';

const ACCOUNT = '01900000-0000-7000-8000-000000000001';
const NETWORK = '192.0.2.1';

describe.each(ENGINES)('%s', (engine) => {
  let own: TestDatabase;
  let clock: TestClock;
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  beforeEach(async () => {
    own = await createTestDatabase(engine);
    await insertTenant(own.database, { id: 'acme', name: 'Acme', status: 'ACTIVE', createdAt: 0 });
    clock = testClock();
    clock.advance(60_000 - (clock.now() % 60_000));
    lines.length = 0;
  });
  afterEach(() => own?.drop());

  const open = (options: Partial<Parameters<typeof createRefusalLog>[0]> = {}) =>
    createRefusalLog({ database: own.database, clock: clock.now, log, uniformRefusals: false, ...options });
  const refusal = (about: Partial<NewAuditRecord> = {}): Refusal => ({
    kind: 'api-key',
    record: {
      id: newId(),
      tenantId: 'acme',
      accountId: ACCOUNT,
      at: clock.now(),
      event: 'api-key.refused',
      clientAddress: NETWORK,
      requestId: 'r',
      details: { reason: 'revoked' },
      ...about,
    },
  });
  const unknown = (clientAddress: string) => refusal({ tenantId: undefined, accountId: undefined, clientAddress });
  const rowsOf = async () =>
    (
      await own.database.query<{
        event: string;
        client_address: string;
        account_id: Uint8Array | null;
        details: string;
      }>('SELECT event, client_address, account_id, details FROM audit_records ORDER BY id')
    ).map(({ event, client_address: network, account_id: id, details }) => ({
      event,
      network,
      accountId: id && bytesToId(id),
      ...JSON.parse(details),
    }));
  const addTimes = (refusals: RefusalLog, times: number, about: Partial<NewAuditRecord> = {}) => {
    for (let i = 0; i < times; i += 1) refusals.add(refusal(about));
  };

  it('stores and counts the refusals of an application as those of an account', async () => {
    const refusals = open();
    const application = newId();
    const minute = new Date(clock.now()).toISOString();
    addTimes(refusals, 7, { accountId: undefined, details: { application, reason: 'wrong-secret' } });
    addTimes(refusals, 2, { accountId: undefined, details: { application: newId(), reason: 'disabled' } });
    clock.advance(60_000);
    await refusals.flush();
    const rows = await rowsOf();
    expect(rows.map(({ event }) => event)).toEqual([...Array<string>(7).fill('api-key.refused'), 'refusals.counted']);
    const counted = { kind: 'api-key', accountId: null, application, reason: 'wrong-secret', minute, count: 2 };
    expect(rows[7]).toEqual({ event: 'refusals.counted', network: NETWORK, ...counted });
    await refusals.close();
  });

  it('stores five refusals of an account per minute, and one count of the others by reason after the minute', async () => {
    const refusals = open();
    const minute = new Date(clock.now()).toISOString();
    addTimes(refusals, 7);
    addTimes(refusals, 3, { details: { reason: 'expired' }, clientAddress: '198.51.100.7' });
    addTimes(refusals, 1, { clientAddress: '198.51.100.7' });
    await refusals.flush();
    expect((await rowsOf()).map(({ event }) => event)).toEqual(Array<string>(5).fill('api-key.refused'));
    clock.advance(59_999);
    await refusals.flush();
    expect(await rowsOf()).toHaveLength(5);
    clock.advance(1);
    await refusals.flush();
    const about = { event: 'refusals.counted', kind: 'api-key', accountId: ACCOUNT, minute };
    expect((await rowsOf()).slice(5)).toEqual([
      { ...about, reason: 'revoked', count: 3, network: 'others' },
      { ...about, reason: 'expired', count: 3, network: '198.51.100.7' },
    ]);
    addTimes(refusals, 1);
    await refusals.close();
    expect((await rowsOf()).slice(7)).toMatchObject([{ event: 'api-key.refused' }]);
  });

  it('stores five refusals for each account and kind of credential', async () => {
    const refusals = open();
    addTimes(refusals, 6);
    addTimes(refusals, 6, { accountId: newId() });
    for (let i = 0; i < 6; i += 1) refusals.add({ ...refusal({ event: 'login.failed' }), kind: 'username' });
    await refusals.flush();
    expect(await rowsOf()).toHaveLength(15);
    await refusals.close();
    expect(await rowsOf()).toHaveLength(18);
  });

  it('counts surplus networks and accounts of a minute together', async () => {
    const refusals = open({ maxCounts: 150 });
    for (let i = 0; i < 500; i += 1) refusals.add(unknown(`network-${String(i).padStart(3, '0')}`));
    refusals.add(unknown('network-000'));
    addTimes(refusals, 8);
    await refusals.close();
    const counted = (await rowsOf()).filter(({ event }) => event === 'refusals.counted');
    // Networks take half of the counts, so that they leave room for accounts.
    expect(counted).toHaveLength(75 + 2);
    expect(counted[0]).toMatchObject({ network: 'network-000', count: 2 });
    expect(counted.at(-2)).toMatchObject({ network: 'others', accountId: null, count: 425 });
    expect(counted.at(-1)).toMatchObject({ network: NETWORK, accountId: ACCOUNT, count: 3 });
  });

  it.each([['with its tenant', 'acme'] as const, ['after its deletion', undefined] as const])(
    'stores neither username nor address of an account that was erased meanwhile, %s',
    async (_when, tenantId) => {
      const refusals = open();
      addTimes(refusals, 6, { username: 'ann@acme.test' });
      addTimes(refusals, 1, { accountId: newId(), username: 'bob@acme.test' });
      const { record } = refusal({ tenantId, event: 'account.erased', clientAddress: 'local-command' });
      await insertAuditRecords(own.database, [record]);
      await refusals.close();
      const sql = 'SELECT username, client_address FROM audit_records WHERE event <> ? ORDER BY id';
      expect(await own.database.query(sql, ['account.erased'])).toEqual([
        ...Array.from({ length: 5 }, () => ({ username: null, client_address: 'erased' })),
        { username: 'bob@acme.test', client_address: NETWORK },
        { username: null, client_address: 'erased' },
      ]);
    },
  );

  it('stores nothing about accounts of a tenant that was erased meanwhile', async () => {
    const refusals = open();
    addTimes(refusals, 6);
    refusals.add(unknown(NETWORK));
    await deleteTenant(own.database, 'acme');
    await refusals.close();
    expect((await rowsOf()).map(({ accountId }) => accountId)).toEqual([null]);
  });

  it('dates the counts of an unfinished minute at the end of the process', async () => {
    const refusals = open();
    refusals.add(unknown(NETWORK));
    clock.advance(20_000);
    await refusals.close();
    expect(await own.database.query('SELECT at FROM audit_records')).toEqual([{ at: clock.now() }]);
  });

  it('counts further refusals while 5,000 single records wait for the database', async () => {
    const refusals = open({ database: { ...own.database, transaction: () => Promise.reject(new Error('away')) } });
    for (let i = 0; i < 1_100; i += 1) addTimes(refusals, 6, { accountId: newId() });
    const [metric] = refusals.metrics;
    // 1,000 accounts with five records each; then 1,000 counts, and one of all others.
    expect(metric!.read()).toEqual([{ value: 5_000 + 1_001 }]);
    await refusals.close();
    const [lost] = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
    expect(lost).toMatchObject({ records: 6_001 });
    expect(lost.lost).toHaveLength(100);
  });

  it('stores nothing twice if the response to a commit is lost', async () => {
    let lost = 0;
    const losing: Database = Object.create(own.database, {
      transaction: {
        value: async (...args: Parameters<Database['transaction']>) => {
          const result = await own.database.transaction(...args);
          lost += 1;
          if (lost === 1) throw new Error('the response is lost');
          return result;
        },
      },
    });
    const refusals = open({ database: losing });
    addTimes(refusals, 6);
    await refusals.flush();
    expect(lost).toBe(1);
    await refusals.close();
    expect((await rowsOf()).map(({ event, count = 0 }) => `${event} ${count}`)).toEqual([
      ...Array<string>(5).fill('api-key.refused 0'),
      'refusals.counted 1',
    ]);
  });

  it('keeps records while the database is away, and stores them in their order later', async () => {
    let isAway = true;
    const transaction: Database['transaction'] = (...call) =>
      isAway ? Promise.reject(new Error('away')) : own.database.transaction(...call);
    const refusals = open({ database: { ...own.database, transaction } });
    addTimes(refusals, 1);
    await refusals.flush();
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'refusals could not be stored; the next interval tries again',
    ]);
    addTimes(refusals, 1, { details: { reason: 'later' } });
    isAway = false;
    await refusals.flush();
    expect((await rowsOf()).map(({ reason }) => reason)).toEqual(['revoked', 'later']);
    await refusals.close();
  });

  it('stores records after a second by itself', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const refusals = open();
      addTimes(refusals, 1);
      vi.advanceTimersByTime(1_000);
      // With turns of the event loop: SQLite answers without one, and the test could not end at its time limit.
      while ((await rowsOf()).length === 0) await nextTurn();
      await refusals.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('logs records that it could not store before the end', async () => {
    const refusals = open();
    for (let i = 0; i < 3; i += 1) refusals.add(unknown(NETWORK));
    addTimes(refusals, 1);
    await own.database.execute('DROP TABLE audit_records');
    await refusals.close();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 50,
        records: 2,
        lost: [
          { audit: 'api-key.refused', network: NETWORK, accountId: ACCOUNT, reason: 'revoked' },
          { audit: 'refusals.counted', network: NETWORK, kind: 'api-key', count: 3 },
        ],
      },
    ]);
  });

  it('writes nothing before the end if nothing was refused', async () => {
    const refusals = open({ uniformRefusals: true });
    await own.database.execute('DROP TABLE audit_records');
    await refusals.close();
    expect(lines).toEqual([]);
  });

  describe('the transactions after refusals', () => {
    const transactionsOf = async (uniformRefusals: boolean, cause: (refusals: RefusalLog) => void) => {
      const statements: number[] = [];
      const counting: Database = {
        ...own.database,
        transaction: (deadline, work) =>
          own.database.transaction(deadline, (tx) => {
            statements.push(0);
            const execute: typeof tx.execute = (...call) => (
              (statements[statements.length - 1]! += 1),
              tx.execute(...call)
            );
            return work({ ...tx, execute });
          }),
      };
      const refusals = open({ database: counting, uniformRefusals });
      cause(refusals);
      await refusals.flush();
      await refusals.flush();
      const soon = statements.length;
      clock.advance(60_000);
      await refusals.flush();
      const afterMinute = statements.length - soon;
      await refusals.close();
      return { soon, afterMinute, rows: (await rowsOf()).length };
    };

    it('are as many for an unknown as for a known account if refusals are uniform', async () => {
      const unknownAccount = await transactionsOf(true, (refusals) => refusals.add(unknown(NETWORK)));
      expect(unknownAccount).toEqual({ soon: 1, afterMinute: 1, rows: 1 });
      const known = await transactionsOf(true, (refusals) => refusals.add(refusal()));
      expect(known).toEqual({ soon: 1, afterMinute: 1, rows: 1 + unknownAccount.rows });
      const evaluated = await transactionsOf(true, (refusals) => refusals.note(refusal()));
      expect(evaluated).toMatchObject({ soon: 1, afterMinute: 1 });
    });

    it('are only those that store a record otherwise', async () => {
      expect(await transactionsOf(false, (refusals) => refusals.add(unknown(NETWORK)))).toMatchObject({
        soon: 0,
        afterMinute: 1,
      });
      expect(await transactionsOf(false, (refusals) => refusals.add(refusal()))).toMatchObject({
        soon: 1,
        afterMinute: 0,
      });
    });
  });
});
