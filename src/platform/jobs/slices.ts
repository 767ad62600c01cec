// How the jobs of a process make room for its calls. All their work is cut into slices of a few milliseconds, one after another. Between two
// slices, the calls that arrived meanwhile are served.
import { REAL_TIMING, type Timing } from '../timing.ts';

/** The longest time for which jobs keep the event loop, or the writer of SQLite, in milliseconds. */
export const SLICE_MS = 5;
/** How long a unit of work should take. A slice ends with the unit that reaches this, so two units and a commit fit. */
export const UNIT_MS = 2;
/** The longest pause, as a multiple of the slice before it. Jobs so get at least a fifth of the time, however many calls wait. */
const LONGEST_PAUSE = 4;
/** Jobs that have had work for so long are late: then they get half of the time. */
export const LATE_AFTER_MS = 1_000;

/** What the calls of the process need. */
export interface CallLoad {
  /** Whether calls wait for a connection of the database. */
  areWaiting(): boolean;
  /** Whether the event loop has had work without a gap since the last question. */
  isLoopBusy(): boolean;
}

export interface SlicesOptions {
  /** Units that run at the same time. */
  readonly maxConcurrent: number;
  readonly calls: CallLoad;
  readonly timing?: Timing;
}

/** How a unit uses the process. */
export interface UnitOptions {
  /** Whether nothing else can run meanwhile. Otherwise it waits for a database server most of the time. */
  readonly isExclusive: boolean;
}

export type Slices = ReturnType<typeof createSlices>;

export function createSlices({ maxConcurrent, calls, timing = REAL_TIMING }: SlicesOptions) {
  const { now, sleep } = timing;
  const waiting: (() => void)[] = [];
  let running = 0;
  /** The exclusive time since the last pause, and when it ended. */
  let used = 0;
  let endedAt = -Infinity;
  /** Since when there is always a unit that runs or waits; undefined after a gap. */
  let busySince: number | undefined;
  let isWatching = false;

  async function enter(): Promise<void> {
    const isFirst = busySince === undefined;
    busySince ??= now();
    if (running < maxConcurrent) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    // What happens at this moment, such as the end of a request of the job, must not wait for the slice.
    if (isFirst) await sleep(0);
  }

  function leave(): void {
    const next = waiting.shift();
    if (next !== undefined) return next();
    running -= 1;
    if (running === 0 && !isWatching) void watchForGap();
  }

  /** A gap that is as long as the slice before it is a pause. Only the event loop can see it: other programs can cause one that is none. */
  async function watchForGap(): Promise<void> {
    isWatching = true;
    do await sleep(Math.max(used, 1));
    while (running === 0 && now() - endedAt < Math.max(used, 1));
    isWatching = false;
    if (running > 0) return;
    used = 0;
    busySince = undefined;
  }

  async function pause(leastMs: number): Promise<void> {
    used = 0;
    const began = now();
    const isLate = began - (busySince ?? began) >= LATE_AFTER_MS;
    const end = began + (isLate ? 1 : LONGEST_PAUSE) * leastMs;
    calls.isLoopBusy();
    do await sleep(leastMs);
    while (now() < end && (calls.areWaiting() || calls.isLoopBusy()));
  }

  return {
    /**
     * Runs a unit of work as soon as jobs may continue. It must not wait for another unit.
     *
     * @param work Calls `begin` when it has stopped waiting for others; its time counts from then on.
     * @param count Gets the time of the unit in milliseconds.
     */
    async run<T>(
      work: (begin: () => void) => Promise<T> | T,
      { isExclusive }: UnitOptions,
      count: (ms: number) => void = () => {},
    ): Promise<T> {
      await enter();
      try {
        // A slice can take longer if the disk is slow, or if other programs use the processor. Pauses do not.
        if (used >= UNIT_MS) await pause(Math.min(Math.ceil(used), SLICE_MS));
        else if (!isExclusive && calls.areWaiting()) await pause(1);
        let began = now();
        try {
          return await work(() => (began = now()));
        } finally {
          endedAt = now();
          count(endedAt - began);
          if (isExclusive) used += endedAt - began;
        }
      } finally {
        leave();
      }
    },
  };
}
