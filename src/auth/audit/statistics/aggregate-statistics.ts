// The job that counts audit records by hour. It reads each recent hour again and replaces its numbers, so a run that is repeated, or
// killed, or that misses transactions that commit later, does no harm.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { backgroundOf, type BackgroundDatabase } from '../../../platform/jobs/background.ts';
import { intervalJob, NOTHING } from '../../../platform/jobs/interval-job.ts';
import { lastRunOf } from '../../../platform/jobs/lease.ts';
import {
  countEvents,
  EVERY_TENANT,
  firstRecordAt,
  OTHERS,
  storeHour,
  type EventCount,
  type HourCounts,
} from './statistics-store.ts';

export const STATISTICS_JOB = 'statistics';
const INTERVAL_MS = 60_000;
/** A run that takes long is followed by a pause this many times as long. */
const PAUSE_PER_RUN = 30;
export const HOUR_MS = 3_600_000;
/** How far statistics reach back. */
export const STATISTICS_MS = 31 * 24 * HOUR_MS;
/** An hour is counted again until this long after its end, for records that are stored late. */
const REVISED_MS = HOUR_MS;
/** The part of an hour that one statement reads. */
const PART_MS = HOUR_MS / 4;
const LEASE_MS = 60_000;

interface JobOptions {
  readonly database: Database;
  readonly clock: Clock;
}

/** Creates the job of this process. */
export function createStatistics({ clock, ...options }: JobOptions) {
  const database = backgroundOf(options.database);
  return intervalJob({
    name: STATISTICS_JOB,
    database,
    clock,
    intervalMs: INTERVAL_MS,
    // Only a complete run moves the beginning of the next.
    lease: { durationMs: LEASE_MS, heldFor: 'complete-run' },
    async begin() {
      const now = clock();
      const last = await lastRunOf(database, STATISTICS_JOB);
      const from = last ? last.at - HOUR_MS - REVISED_MS : ((await firstRecordAt(database)) ?? now);
      return { hour: hourOf(Math.min(Math.max(now - STATISTICS_MS, from), now)), now };
    },
    /** Counts an hour. */
    async batch(work, { renew }) {
      const byTenant = await countHour(database, work.hour, work.now);
      if (!(await renew())) return NOTHING;
      await storeHour(database, work.hour, byTenant);
      work.hour += HOUR_MS;
      return { count: 1, hasMore: work.hour <= work.now };
    },
    pauseAfter: ({ elapsedMs }) => PAUSE_PER_RUN * elapsedMs - INTERVAL_MS,
    failure: 'statistics could not be computed, the next interval tries again',
  });
}

/** Counts the hours that can have changed since the last run. Returns their number; undefined if another process does it. */
export async function aggregateStatistics(options: JobOptions): Promise<number | undefined> {
  return createStatistics(options).run();
}

export function hourOf(time: number): number {
  return time - (time % HOUR_MS);
}

async function countHour(
  database: BackgroundDatabase,
  hour: number,
  now: number,
): Promise<ReadonlyMap<string, HourCounts>> {
  const byTenant = new Map<string, Counter>();
  for (let from = hour; from < hour + HOUR_MS && from <= now; from += PART_MS) {
    const counts = await countEvents(database, from, from + PART_MS);
    await database.slices.map(counts, (count) => {
      for (const tenant of [count.tenant, EVERY_TENANT]) add(byTenant, tenant, count);
    });
  }
  return byTenant;
}

interface Counter extends HourCounts {
  logins: number;
  failures: number;
  locks: number;
  readonly reasons: Record<string, number>;
  readonly authorizations: Map<string, number>;
}

const KINDS: Readonly<Record<string, 'logins' | 'failures' | 'locks' | 'authorizations'>> = {
  'login.succeeded': 'logins',
  'login.failed': 'failures',
  'second-factor.failed': 'failures',
  'refusals.counted': 'failures',
  'account.locked': 'locks',
  'second-factor.locked': 'locks',
  'grant.created': 'authorizations',
};
/** Reasons of events whose records have none. Counted refusals without a reason are of usernames without an account. */
const REASONS: Readonly<Record<string, string>> = {
  'second-factor.failed': 'SECOND_FACTOR_INVALID',
  'refusals.counted': 'ACCOUNT_NOT_FOUND',
};

function add(byTenant: Map<string, Counter>, tenant: string, { event, detail, count }: EventCount): void {
  const empty: Counter = { logins: 0, failures: 0, locks: 0, reasons: {}, authorizations: new Map() };
  const counter = byTenant.get(tenant) ?? empty;
  byTenant.set(tenant, counter);
  const kind = KINDS[event]!;
  if (kind === 'authorizations') {
    const clientId = detail ?? OTHERS;
    counter.authorizations.set(clientId, (counter.authorizations.get(clientId) ?? 0) + count);
    return;
  }
  counter[kind] += count;
  if (kind !== 'failures') return;
  const name = detail || REASONS[event] || 'OTHER';
  counter.reasons[name] = (counter.reasons[name] ?? 0) + count;
}
