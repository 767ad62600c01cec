// The job that counts the live grants, and the metric that shows their number. One process counts at a time, row after row in small
// batches, and stores the number with its lease: a scrape reads one row.
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { backgroundOf } from '../../../platform/jobs/background.ts';
import { createBatchSize } from '../../../platform/jobs/batch-size.ts';
import { intervalJob } from '../../../platform/jobs/interval-job.ts';
import { lastRunOf } from '../../../platform/jobs/lease.ts';
import type { Metric } from '../../../platform/metric.ts';
import { countLive } from './grant-list-store.ts';

const JOB = 'grant-count';
const INTERVAL_MS = 60_000;
const LEASE_MS = 60_000;
/** How much later many grants are counted again, for each of them. 10,000,000: after 17 minutes. */
const PAUSE_PER_GRANT_MS = 0.1;
/** Metrics are read at each scrape, the number at most so often. */
const READ_INTERVAL_MS = 10_000;

/** Creates the job of this process, and its metric. */
export function createGrantCount(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}) {
  const { clock, log } = options;
  const database = backgroundOf(options.database);
  const size = createBatchSize({ min: 100, max: 5_000 });
  let count: number | undefined;
  let readAt = -Infinity;

  /** The next scrape has the number. */
  function refresh(): void {
    if (performance.now() - readAt < READ_INTERVAL_MS) return;
    readAt = performance.now();
    lastRunOf(database, JOB).then(
      (last) => (count = last?.count),
      (error: unknown) => log.debug({ err: error }, 'the number of grants could not be read'),
    );
  }

  const job = intervalJob({
    name: JOB,
    database,
    clock,
    intervalMs: INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'complete-run' },
    async begin(): Promise<{ after: string | undefined } | undefined> {
      const last = await lastRunOf(database, JOB);
      const isDue = last === undefined || clock() - last.at >= INTERVAL_MS + last.count * PAUSE_PER_GRANT_MS;
      return isDue ? { after: undefined } : undefined;
    },
    async batch(work) {
      const { rows } = size;
      const before = database.slices.usedMs;
      const found = await countLive(database, work.after, rows, clock());
      size.adapt(database.slices.usedMs - before);
      work.after = found.last;
      return { count: found.live, hasMore: found.read === rows };
    },
    failure: 'grants could not be counted, the next interval tries again',
  });

  const metric: Metric = {
    name: 'oauth_grants_live',
    help: 'Grants of applications that are neither revoked nor expired, and whose session is open, unless they outlive it. A job counts them.',
    type: 'gauge',
    // All processes read the same row.
    aggregator: 'max',
    read() {
      refresh();
      return count === undefined ? [] : [{ value: count }];
    },
  };
  return { job, metrics: [metric] };
}
