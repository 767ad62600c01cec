// Background jobs: cleanup in batches under a lease, and deferred writes.
// Rows are deleted in small batches, because one large DELETE would lock all its rows until it ends.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/types.ts';
import { REAL_TIMING, type Timing } from '../timing.ts';
import { backgroundOf } from './background.ts';
import { createBatchSize } from './batch-size.ts';
import { type Backlog, type CleanupTarget, backlogOf, deleteExpired } from './expired-rows.ts';
import { intervalJob } from './interval-job.ts';
import { lastRunOf } from './lease.ts';

interface Pace {
  /** How long a batch should take, in milliseconds. */
  readonly batchMs: number;
  /** Rows of the smallest batch, for slow disks and busy servers. */
  readonly minRows: number;
  /** The shortest pause after a batch, in milliseconds. */
  readonly minPauseMs: number;
}

/**
 * A statement of SQLite blocks the process, and its commit delays the commits of calls. On MySQL, a batch takes processor time
 * and disk writes of the server that serves the calls.
 */
export const PACE: Record<Database['engine'], Pace> = {
  sqlite: { batchMs: 1, minRows: 125, minPauseMs: 8 },
  mysql: { batchMs: 5, minRows: 200, minPauseMs: 20 },
};

/** The pause as a multiple of the time of the batch before it. */
const PAUSE_PER_BATCH = 4;
/** The multiple for a run that is late: the calls may create rows faster than it deletes them. */
const LATE_PAUSE_PER_BATCH = 1;
const INTERVAL_MS = 60_000;

/** Returns the pause after a batch that took `batchMs`, in a run that began `runMs` ago; all in milliseconds. */
export function pauseAfterBatch({ minPauseMs }: Pace, batchMs: number, runMs: number): number {
  return runMs > INTERVAL_MS ? LATE_PAUSE_PER_BATCH * batchMs : Math.max(minPauseMs, PAUSE_PER_BATCH * batchMs);
}

export type { Batch, CleanupTarget } from './expired-rows.ts';

interface CleanupOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly targets: readonly CleanupTarget[];
  /** Stops the work after the current batch. */
  readonly signal?: AbortSignal;
  /** Rows per statement. Default and maximum: 1,000. */
  readonly batchSize?: number;
  /** Pause between two batches in milliseconds, so that waiting writers can run. Default: see PACE. */
  readonly pauseMs?: number;
  readonly timing?: Timing;
}

export interface CleanupStats {
  readonly tables: readonly Backlog[];
  /** When the last run completed, in any process, Unix milliseconds. */
  readonly lastRunAt: number | undefined;
  /** The number of rows that this run deleted. */
  readonly lastCount: number | undefined;
}

/** A cleanup that runs periodically. */
export interface Cleanup {
  /** Returns the backlog and the last run, read from the database. */
  stats(): Promise<CleanupStats>;
  /** Stops the cleanup. Resolves when the current batch has ended. */
  stop(): Promise<void>;
}

const JOB = 'cleanup';
const LEASE_MS = 60_000;
const MAX_BATCH = 1_000;

function createCleanup(options: Omit<CleanupOptions, 'signal'> & { readonly intervalMs?: number }) {
  const { clock, targets, intervalMs = INTERVAL_MS, timing = REAL_TIMING } = options;
  const database = backgroundOf(options.database);
  const pace = PACE[database.engine];
  const max = Math.min(options.batchSize ?? MAX_BATCH, MAX_BATCH);
  return intervalJob({
    name: JOB,
    database,
    clock,
    intervalMs,
    lease: { durationMs: LEASE_MS, heldFor: 'run' },
    async begin() {
      const steps = targets.flatMap((target) => {
        const size = createBatchSize({ min: pace.minRows, max, targetMs: pace.batchMs });
        return target.expiresAt.map((column) => ({ target, column, size }));
      });
      return { steps, startedAt: timing.now() };
    },
    /** Deletes a batch of a column of a table, and pauses if there can be more of them. */
    async batch({ steps, startedAt }, { signal }) {
      const { target, column, size } = steps[0]!;
      const { rows } = size;
      const before = database.slices.usedMs;
      const count = await deleteExpired(database, target, column, { now: clock(), size: rows });
      const batchMs = database.slices.usedMs - before;
      size.adapt(batchMs);
      if (count < rows) {
        steps.shift();
      } else {
        const pauseMs = options.pauseMs ?? pauseAfterBatch(pace, batchMs, timing.now() - startedAt);
        // Keeps the process running: `cleanup run` has nothing else to wait for.
        await timing.sleep(pauseMs, signal);
      }
      return { count, hasMore: steps.length > 0 };
    },
    onRun: (count, log) => count > 0 && log.info({ count }, 'expired rows deleted'),
    failure: 'cleanup failed, the next interval tries again',
  });
}

/** Deletes expired rows and returns their number; undefined if another process holds the lease. */
export async function cleanup({ signal, ...options }: CleanupOptions): Promise<number | undefined> {
  return createCleanup(options).run(signal);
}

/** Returns the backlog of each target, and the last run. */
export async function cleanupStats({ clock, targets, ...options }: CleanupOptions): Promise<CleanupStats> {
  const database = backgroundOf(options.database);
  const tables: Backlog[] = [];
  for (const target of targets) tables.push(await backlogOf(database, target, clock()));
  const last = await lastRunOf(database, JOB);
  return { tables, lastRunAt: last?.at, lastCount: last?.count };
}

/** Runs the cleanup at each interval until it is stopped. */
export function startCleanup(options: Parameters<typeof createCleanup>[0] & { readonly log: Logger }): Cleanup {
  return { ...createCleanup(options).start(options.log), stats: () => cleanupStats(options) };
}
