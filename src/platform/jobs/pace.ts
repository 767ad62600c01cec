// How fast the cleanup deletes rows beside the calls.
import type { Database } from '../db/types.ts';

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
/** The same for a run that is late: the calls may create rows faster than it deletes them. */
const LATE_PAUSE_PER_BATCH = 1;
/** The interval of the runs in the service. */
const LATE_AFTER_MS = 60_000;

/** Returns the pause after a batch that took `batchMs`, in a run that began `runMs` ago; all in milliseconds. */
export function pauseAfterBatch({ minPauseMs }: Pace, batchMs: number, runMs: number): number {
  return runMs > LATE_AFTER_MS ? LATE_PAUSE_PER_BATCH * batchMs : Math.max(minPauseMs, PAUSE_PER_BATCH * batchMs);
}
