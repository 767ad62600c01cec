// The database as jobs see it. Each statement and each transaction of a job is a unit of a slice, so no job can keep the process, or
// the writer of SQLite, for longer.
import { performance } from 'node:perf_hooks';
import { UNLIMITED } from '../clock.ts';
import type { Database } from '../db/types.ts';
import { REAL_TIMING, type Timing } from '../timing.ts';
import { createSlices, UNIT_MS, type CallLoad, type Slices } from './slices.ts';

/** A database for jobs. Only `backgroundOf` makes one. Its `queryLong` runs in other threads, or as one of few long reads. */
export interface BackgroundDatabase extends Database {
  readonly slices: JobSlices;
}

/** The slices of a job. */
export interface JobSlices {
  /**
   * How long the statements and computations of this job have taken so far, in milliseconds. Neither the time for which they waited, nor
   * commits, which smaller batches do not shorten.
   */
  readonly usedMs: number;
  /** Runs work that contains statements of another database object, such as an audited transaction, as one unit. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Computes a result for each item, in order. Must not be called in a transaction. */
  map<Item, Result>(items: readonly Item[], compute: (item: Item, index: number) => Result): Promise<readonly Result[]>;
}

/** On a database server, jobs use at most one connection of so many. */
const CONNECTIONS_SHARE = 4;
/** An event loop that has waited for so long has served all calls that had arrived. */
const GAP_MS = 0.2;

interface Lane {
  readonly slices: Slices;
  readonly now: () => number;
}

const lanes = new WeakMap<Database, Lane>();

/** Returns a database for one job. All jobs of a database share their slices. */
export function backgroundOf(database: Database | BackgroundDatabase): BackgroundDatabase {
  if ('slices' in database) return database;
  const known = lanes.get(database);
  if (known) return forJob(database, known);
  const lane = createLane(database);
  lanes.set(database, lane);
  return forJob(database, lane);
}

/** Creates a database for one job with slices of its own. For tests. */
export function createBackground(database: Database, timing: Timing, calls: CallLoad): BackgroundDatabase {
  return forJob(database, createLane(database, calls, timing));
}

function createLane(database: Database, calls = callsOf(database), timing: Timing = REAL_TIMING): Lane {
  const isServer = database.engine === 'mysql';
  const maxConcurrent = isServer ? Math.ceil(database.poolState().max / CONNECTIONS_SHARE) : 1;
  return { slices: createSlices({ maxConcurrent, calls, timing }), now: timing.now };
}

function callsOf(database: Database): CallLoad {
  let idleMs = 0;
  return {
    areWaiting: () => database.poolState().waiting > 0,
    isLoopBusy() {
      const before = idleMs;
      idleMs = performance.eventLoopUtilization().idle;
      return idleMs - before < GAP_MS;
    },
  };
}

function forJob(database: Database, { slices, now }: Lane): BackgroundDatabase {
  const isExclusive = database.engine === 'sqlite';
  let usedMs = 0;
  const count = (ms: number) => void (usedMs += ms);
  const run = <T>(work: (begin: () => void) => Promise<T>) => slices.run(work, { isExclusive }, count);
  const transaction: Database['transaction'] = (deadline, work) =>
    slices.run(
      (begin) =>
        database.transaction(deadline, async (tx) => {
          // Writes of calls that wait come first, and are not the time of the job.
          begin();
          const began = now();
          try {
            return await work(tx);
          } finally {
            count(now() - began);
          }
        }),
      { isExclusive },
    );
  return {
    ...database,
    query: (sql, values) => run(() => database.query(sql, values)),
    // In a group, it would count the writes of calls as its own.
    execute: (sql, values) =>
      isExclusive ? transaction(UNLIMITED, (tx) => tx.execute(sql, values)) : run(() => database.execute(sql, values)),
    insert: (insertion, deadline) => run(() => database.insert(insertion, deadline)),
    transaction,
    slices: {
      get usedMs() {
        return usedMs;
      },
      run: (work) => run(work),
      async map<Item, Result>(items: readonly Item[], compute: (item: Item, index: number) => Result) {
        const results: Result[] = [];
        const computeSome = () => {
          const end = now() + UNIT_MS;
          do results.push(compute(items[results.length]!, results.length));
          while (results.length < items.length && now() < end);
        };
        while (results.length < items.length) await slices.run(computeSome, { isExclusive: true }, count);
        return results;
      },
    },
  };
}
