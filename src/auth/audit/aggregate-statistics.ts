// The job that counts audit records by hour. It reads each recent hour again and replaces its numbers, so a run that is repeated, or
// killed, or that misses transactions that commit later, does no harm.
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { backgroundOf, type BackgroundDatabase } from '../../platform/jobs/background.ts';
import { lastRunOf, takeLease } from '../../platform/jobs/lease.ts';
import { startJob, type RunningJob } from '../../platform/jobs/start-job.ts';
import {
  countEvents,
  EVERY_TENANT,
  firstRecordAt,
  storeHour,
  type EventCount,
  type HourCounts,
} from './statistics-store.ts';

export const STATISTICS_JOB = 'statistics';
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

/** Counts the hours that can have changed since the last run. Returns their number; undefined if another process does it. */
export async function aggregateStatistics({ clock, ...options }: JobOptions): Promise<number | undefined> {
  const database = backgroundOf(options.database);
  const lease = await takeLease({ database, clock, name: STATISTICS_JOB, durationMs: LEASE_MS });
  if (!lease) return undefined;
  const now = clock();
  const last = await lastRunOf(database, STATISTICS_JOB);
  const from = last ? last.at - HOUR_MS - REVISED_MS : ((await firstRecordAt(database)) ?? now);
  const first = hourOf(Math.max(now - STATISTICS_MS, from));
  let hours = 0;
  for (let hour = first; hour <= now; hour += HOUR_MS) {
    const byTenant = await countHour(database, hour, now);
    if (!(await lease.renew())) return undefined;
    await storeHour(database, hour, byTenant);
    hours += 1;
  }
  // Only a complete run moves the beginning of the next.
  await lease.release(hours);
  return hours;
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
}

const KINDS: Readonly<Record<string, 'logins' | 'failures' | 'locks'>> = {
  'login.succeeded': 'logins',
  'login.failed': 'failures',
  'second-factor.failed': 'failures',
  'refusals.counted': 'failures',
  'account.locked': 'locks',
  'second-factor.locked': 'locks',
};
/** Reasons of events whose records have none. Counted refusals without a reason are of usernames without an account. */
const REASONS: Readonly<Record<string, string>> = {
  'second-factor.failed': 'SECOND_FACTOR_INVALID',
  'refusals.counted': 'ACCOUNT_NOT_FOUND',
};

function add(byTenant: Map<string, Counter>, tenant: string, { event, reason, count }: EventCount): void {
  const counter = byTenant.get(tenant) ?? { logins: 0, failures: 0, locks: 0, reasons: {} };
  byTenant.set(tenant, counter);
  const kind = KINDS[event]!;
  counter[kind] += count;
  if (kind !== 'failures') return;
  const name = reason || REASONS[event] || 'OTHER';
  counter.reasons[name] = (counter.reasons[name] ?? 0) + count;
}

const INTERVAL_MS = 60_000;
/** A run that takes long is followed by a pause this many times as long. */
const PAUSE_PER_RUN = 30;

/** Runs the job every minute until it is stopped, or less often if it takes long. A failure is logged; the next interval tries again. */
export function startStatistics({ log, ...options }: JobOptions & { readonly log: Logger }): RunningJob {
  let pausedUntil = 0;
  return startJob({
    database: backgroundOf(options.database),
    intervalMs: INTERVAL_MS,
    async run() {
      const began = performance.now();
      if (began < pausedUntil) return;
      try {
        await aggregateStatistics(options);
      } finally {
        const ended = performance.now();
        pausedUntil = ended + PAUSE_PER_RUN * (ended - began) - INTERVAL_MS;
      }
    },
    onFailure: (error) => log.warn({ err: error }, 'statistics could not be computed, the next interval tries again'),
  });
}
