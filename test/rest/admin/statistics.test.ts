// /statistics: the numbers equal the audit records, also after parallel logins over two processes and interrupted runs of the job.
import { describe, expect, it } from 'vitest';
import { aggregateStatistics, HOUR_MS } from '../../../src/auth/audit/statistics/aggregate-statistics.ts';
import { insertAuditRecords, type NewAuditRecord } from '../../../src/auth/audit/trail/audit-store.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { caller, type Caller } from '../../support/callers.ts';
import { deploy, DIAGONAL } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
import { openAdministration } from './administration.ts';

rememberPasswords();

const LEASE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;

interface Period {
  readonly start: string;
  readonly logins: number;
  readonly failures: number;
  readonly locks: number;
  readonly failuresByReason: readonly { readonly reason: string; readonly count: number }[];
}

async function statisticsOf(by: Caller, query = '') {
  const { status, body } = await by.get(`/statistics${query}`);
  expect(status).toBe(200);
  return body as { hours: Period[]; days: Period[]; countedAt?: string; openSessions: number };
}

const sum = (periods: readonly Period[]) => [
  periods.reduce((total, { logins }) => total + logins, 0),
  periods.reduce((total, { failures }) => total + failures, 0),
  periods.reduce((total, { locks }) => total + locks, 0),
];
const reasonsOf = (periods: readonly Period[]) =>
  Object.fromEntries(periods.flatMap((one) => one.failuresByReason).map(({ reason, count }) => [reason, count]));

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);
  const jobOf = (database: Database = acme.world.deployment.database) => ({
    database,
    clock: acme.world.deployment.clock.now,
  });
  const newTenant = async () => {
    const tenantId = `tenant-${newId()}`;
    return { tenantId, admin: await caller(acme.world.deployment, { tenantId, roles: ['ADMIN'] }) };
  };
  const record = (tenantId: string | undefined, more: Partial<NewAuditRecord>): NewAuditRecord => ({
    id: newId(),
    tenantId,
    at: acme.world.deployment.clock.now(),
    event: 'login.succeeded',
    clientAddress: '192.0.2.1',
    requestId: '',
    ...more,
  });

  it('counts parallel logins over two processes, while both count', async () => {
    const { tenantId, admin } = await newTenant();
    const second = await deploy({
      ...kind,
      databaseUrl: acme.world.deployment.databaseUrl,
      clock: acme.world.deployment.clock,
    });
    try {
      const users = await Promise.all(Array.from({ length: 4 }, () => acme.world.seed({ tenantId })));
      const logins = users.flatMap(({ username }) =>
        [acme.world.deployment, second].flatMap(({ url }) => [
          restClient(url).login({ username, password: PASSWORD }),
          restClient(url).login({ username, password: 'wrong' }),
        ]),
      );
      const runs = [jobOf(), jobOf(second.database)].map(aggregateStatistics);
      expect((await Promise.all(logins)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        ...Array<number>(8).fill(200),
        ...Array<number>(8).fill(401),
      ]);
      await Promise.all(runs);
      await aggregateStatistics(jobOf());
      const { hours, days, countedAt, openSessions } = await statisticsOf(admin);
      expect([hours.length, days.length, sum(hours), sum(days), openSessions]).toEqual([
        48,
        30,
        [8, 8, 0],
        [8, 8, 0],
        9,
      ]);
      expect(reasonsOf(hours)).toEqual({ BAD_CREDENTIALS: 8 });
      expect(countedAt).toBe(new Date(acme.world.deployment.clock.now()).toISOString());
    } finally {
      await second.close();
    }
  });

  it('counts by reason, hour and day; of each tenant and of all', async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const { database, clock } = acme.world.deployment;
    await aggregateStatistics(jobOf());
    const before = await statisticsOf(acme.root);
    const now = clock.now();
    const failed = (reason: string, at = now) =>
      record(one.tenantId, { event: 'login.failed', at, details: { reason } });
    await insertAuditRecords(database, [
      record(one.tenantId, { at: now - (now % HOUR_MS) }),
      record(one.tenantId, { at: now - HOUR_MS }),
      failed('BAD_CREDENTIALS'),
      failed('BAD_CREDENTIALS'),
      failed('ACCOUNT_LOCKED', now - HOUR_MS),
      record(one.tenantId, { event: 'account.locked' }),
      record(one.tenantId, { event: 'second-factor.failed' }),
      record(one.tenantId, { event: 'second-factor.locked' }),
      record(one.tenantId, { event: 'session.revoked', details: { reason: 'too-many' } }),
      record(one.tenantId, {
        event: 'refusals.counted',
        details: { kind: 'username', reason: 'ACCOUNT_LOCKED', minute: 'x', count: 40 },
      }),
      record(one.tenantId, { event: 'refusals.counted', details: { kind: 'api-key', minute: 'x', count: 9 } }),
      record(undefined, { event: 'refusals.counted', details: { kind: 'username', minute: 'x', count: 7 } }),
      record(other.tenantId, {}),
    ]);
    await aggregateStatistics(jobOf());
    const { hours, days } = await statisticsOf(one.admin);
    expect(hours.slice(-2).map((hour) => sum([hour]))).toEqual([
      [1, 1, 0],
      [1, 43, 2],
    ]);
    expect(hours.at(-1)!.failuresByReason).toEqual([
      { reason: 'ACCOUNT_LOCKED', count: 40 },
      { reason: 'BAD_CREDENTIALS', count: 2 },
      { reason: 'SECOND_FACTOR_INVALID', count: 1 },
    ]);
    expect(sum(days)).toEqual([2, 44, 2]);
    const hourOf = new Date(now - (now % HOUR_MS)).toISOString();
    const dayOf = new Date(now - (now % DAY_MS)).toISOString();
    expect([hours.at(-1)!.start, days.at(-1)!.start]).toEqual([hourOf, dayOf]);
    expect(await statisticsOf(acme.root, `?tenantId=${one.tenantId}`)).toMatchObject({ hours, days });
    expect(sum((await statisticsOf(other.admin)).hours)).toEqual([1, 0, 0]);
    const all = (await statisticsOf(acme.root)).hours;
    expect(sum(all).map((total, index) => total - sum(before.hours)[index]!)).toEqual([3, 51, 2]);
    expect((await one.admin.get(`/statistics?tenantId=${other.tenantId}`)).status).toBe(403);
  });

  it('shows the password hashes of the process to a SUPER_ADMIN without a tenant alone', async () => {
    const { tenantId, admin } = await newTenant();
    const [all, ofOne, own] = [
      await acme.root.get('/statistics'),
      await acme.root.get(`/statistics?tenantId=${tenantId}`),
      await admin.get('/statistics'),
    ];
    expect(all.body).toMatchObject({ passwordHashes: { running: 0, queued: 0 } });
    for (const { body } of [ofOne, own]) expect(body).not.toHaveProperty('passwordHashes');
  });

  it('counts records that are stored late, and all after a run that was killed', async () => {
    const { tenantId } = await newTenant();
    const { database, clock } = acme.world.deployment;
    await insertAuditRecords(database, [record(tenantId, {})]);
    await aggregateStatistics(jobOf());
    const late = clock.now();
    clock.advance(50 * 60_000);
    await aggregateStatistics(jobOf());
    await insertAuditRecords(database, [record(tenantId, { at: late }), record(tenantId, {})]);
    // The process dies before the second hour is counted: the lease stays taken.
    let reads = 0;
    const dying = new Proxy(database, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'queryLong') return typeof value === 'function' ? value.bind(target) : value;
        return async (...given: Parameters<Database['queryLong']>) => {
          // The first hour is counted in 28 reads.
          reads += 1;
          if (reads > 28) throw new Error('killed');
          return target.queryLong(...given);
        };
      },
    });
    await expect(aggregateStatistics(jobOf(dying))).rejects.toThrow('killed');
    expect(await aggregateStatistics(jobOf())).toBeUndefined();
    clock.advance(LEASE_MS);
    expect(await aggregateStatistics(jobOf())).toBeGreaterThanOrEqual(2);
    const admin = await caller(acme.world.deployment, { tenantId, roles: ['ADMIN'] });
    expect(sum((await statisticsOf(admin)).days)).toEqual([3, 0, 0]);
  });
});
