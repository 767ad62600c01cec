// The loop of all jobs. A job declares its interval, its lease, and one batch of its work. Batches follow each other while there is more.
// They leave room for calls, because their database cuts them into slices.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { DatabaseError } from '../db/errors.ts';
import { gauge, type Metric } from '../metric.ts';
import { REAL_TIMING, type Timing } from '../timing.ts';
import type { BackgroundDatabase } from './background.ts';
import { createKeptLease, takeLease } from './lease.ts';

/** The result of a batch. */
export interface Batch {
  /** The number of processed rows. */
  readonly count: number;
  /** Whether another batch follows at once. */
  readonly hasMore: boolean;
}

/** The result of a batch that found nothing. */
export const NOTHING: Batch = { count: 0, hasMore: false };

export interface BatchContext {
  /** Aborts when the batch must end. */
  readonly signal: AbortSignal;
  /** Renews the lease within a batch. Returns false if another process has taken it: the batch must not write. */
  renew(): Promise<boolean>;
}

interface JobLease {
  /** A process that was killed delays the job for so long. */
  readonly durationMs: number;
  /**
   * `job`: the process keeps it until it stops, because a run takes few statements. It only saves work: two runs can hold it, and the
   * database must refuse one of them. `run`: released after each run. `complete-run`: an incomplete run lets it expire, so the time of
   * the last run is that of a complete one.
   */
  readonly heldFor: 'job' | 'run' | 'complete-run';
}

/** @typeParam Work What the batches of a run share. */
export interface IntervalJobOptions<Work> {
  /** Also the name of the lease. At most 64 bytes. */
  readonly name: string;
  readonly database: BackgroundDatabase;
  readonly clock: Clock;
  /** Time between the starts of two runs, in milliseconds. A longer run skips the next one. */
  readonly intervalMs: number;
  /** Lets one process run the job at a time. Default: each process runs it for itself. */
  readonly lease?: JobLease | undefined;
  /**
   * Looks for work, in each process, before the lease is taken. Returns undefined if there is nothing to do.
   *
   * @param number Of the run since the start of the job, from 0.
   */
  begin(number: number): Promise<Work | undefined>;
  batch(work: Work, context: BatchContext): Promise<Batch>;
  /** Returns for how long runs only look for work after a run, in milliseconds. `failures`: batches that failed in succession. */
  readonly pauseAfter?: (run: { readonly elapsedMs: number; readonly failures: number }) => number;
  /** How long a batch may continue after the stop, in milliseconds. Default: 0. */
  readonly graceMs?: number;
  /** The time between `wake` and its run, in milliseconds. Default: 0. */
  readonly wakeMs?: number;
  /** A gauge: the age of the oldest work, in seconds. `since` returns its time; Infinity if there is none. */
  readonly lag?: { readonly name: string; readonly help: string; readonly since: () => number };
  /** Called after a run of the interval with the number of its rows. */
  readonly onRun?: (count: number, log: Logger) => void;
  /** Called after a run that failed. */
  readonly onFailure?: () => void;
  /** Called after the last run. */
  readonly onStop?: () => Promise<void>;
  /** The log line of a run of the interval that failed, and its fields. Default: the error. */
  readonly failure: string;
  readonly failureFields?: (error: unknown) => object;
  readonly timing?: Timing;
}

/** A job that runs until it is stopped. */
export interface RunningJob {
  /** Runs the job once more after the current run. Failures are logged. */
  runNow(): Promise<void>;
  /** Lets the current batch end, begins no other, and releases a lease that is kept between runs. */
  stop(): Promise<void>;
}

export type IntervalJob = ReturnType<typeof intervalJob>;

/** Another process has done or changed the work of a batch since it was read. Ends the run, without a failure if the lease is kept. */
export class OutdatedBatchError extends Error {
  override readonly name = 'OutdatedBatchError';
}

/** Returns whether a batch failed because another process has done its work. Then it can also have inserted the same rows. */
export function isOutdatedBatch(error: unknown): boolean {
  return error instanceof OutdatedBatchError || (error instanceof DatabaseError && error.kind === 'duplicate');
}

const NEVER = new AbortController().signal;
const NO_LEASE = { renew: async () => true, release: async () => {} };

/** Creates a job of this process. */
export function intervalJob<Work>(options: IntervalJobOptions<Work>) {
  const { name, database, clock, intervalMs, lease: ofLease, lag, timing = REAL_TIMING } = options;
  const { pauseAfter = () => 0, failureFields = (error) => ({ err: error }) } = options;
  const leaseOptions = ofLease && { database, clock, name, durationMs: ofLease.durationMs };
  const kept = leaseOptions && ofLease.heldFor === 'job' ? createKeptLease(leaseOptions) : undefined;
  let failures = 0;
  let pausedUntil = -Infinity;
  let wake = () => {};

  async function take() {
    if (kept) return (await kept.hold()) ? { ...NO_LEASE, renew: kept.hold } : undefined;
    return leaseOptions ? takeLease(leaseOptions) : NO_LEASE;
  }

  /**
   * Runs the job once. Returns the number of processed rows; undefined if another process holds the lease.
   *
   * @param stopping Ends the run after the current batch.
   * @param ending Ends the current batch.
   */
  async function run(stopping = NEVER, ending = stopping, number = 0): Promise<number | undefined> {
    let count = 0;
    let isComplete = false;
    let lease: Awaited<ReturnType<typeof take>>;
    let began: number | undefined;
    const pause = (from: number) =>
      (pausedUntil = timing.now() + pauseAfter({ elapsedMs: timing.now() - from, failures }));
    try {
      const work = await options.begin(number);
      if (work === undefined || timing.now() < pausedUntil) return 0;
      began = timing.now();
      lease = await take();
      if (!lease) return undefined;
      do {
        const { count: done, hasMore } = await options.batch(work, { signal: ending, renew: lease.renew });
        count += done;
        failures = 0;
        isComplete = !hasMore;
      } while (!isComplete && !stopping.aborted && (await lease.renew()));
      pause(began);
      return count;
    } catch (error) {
      if (kept && isOutdatedBatch(error)) return count;
      if (began !== undefined) {
        failures += 1;
        pause(began);
      }
      options.onFailure?.();
      throw error;
    } finally {
      if (isComplete || ofLease?.heldFor !== 'complete-run') await lease?.release(count);
    }
  }

  /** Runs the job at each interval, first after one interval. The timers do not keep the process running. */
  function start(log: Logger): RunningJob {
    const stopping = new AbortController();
    const ending = options.graceMs === undefined ? stopping : new AbortController();
    let number = 0;
    let running: Promise<void> | undefined;
    let waking: NodeJS.Timeout | undefined;
    let isWanted = false;

    async function runLogged(): Promise<void> {
      try {
        const count = await run(stopping.signal, ending.signal, number++);
        options.onRun?.(count ?? 0, log);
      } catch (error) {
        log.warn(failureFields(error), options.failure);
      }
      running = undefined;
      if (isWanted) wake();
    }
    const runOnce = () => (running ??= runLogged());
    const timer = setInterval(() => void runOnce(), intervalMs).unref();
    wake = () => {
      isWanted = running !== undefined;
      if (isWanted || stopping.signal.aborted) return;
      waking ??= setTimeout(() => {
        waking = undefined;
        void runOnce();
      }, options.wakeMs).unref();
    };
    return {
      async runNow() {
        await running;
        await runOnce();
      },
      async stop() {
        clearInterval(timer);
        clearTimeout(waking);
        stopping.abort();
        const limit = setTimeout(() => ending.abort(), options.graceMs);
        await running;
        clearTimeout(limit);
        await kept?.release().catch(() => undefined);
        await options.onStop?.();
      },
    };
  }

  return {
    run,
    start,
    /** Runs a started job soon, and after the current run. */
    wake: () => wake(),
    /** Lets another process take over a kept lease at once. */
    release: async () => kept?.release(),
    metrics: lag ? [lagMetric(clock, lag)] : [],
  };
}

function lagMetric(clock: Clock, { name, help, since }: NonNullable<IntervalJobOptions<unknown>['lag']>): Metric {
  // All processes read the same table.
  return { ...gauge(name, help, () => Math.max(0, clock() - since()) / 1000), aggregator: 'max' };
}
