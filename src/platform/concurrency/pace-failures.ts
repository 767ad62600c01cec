import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { REAL_TIMING, type Timing } from '../timing.ts';

/** Longer than most checks of a credential take, so that nearly all failures take one interval. */
const INTERVAL_MS = 10;
/**
 * What a process did before can still make a response some 10 µs faster or slower after the wait. With random ends within a
 * millisecond, thousands of pairs of requests would be needed to see that.
 */
const JITTER_MS = 1;
/** Steps of the random part. */
const JITTER_STEPS = 1_000;
/** Timers end up to so much late, and how late depends on when the work ended. */
const TIMER_ERROR_MS = 2;

/** Time and randomness of the pauses. */
export interface Pacing extends Timing {
  /** Resolves in a later turn of the event loop. */
  readonly nextTurn: () => Promise<unknown>;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

const REAL_PACING: Pacing = { ...REAL_TIMING, nextTurn, random: () => randomInt(JITTER_STEPS) / JITTER_STEPS };

/** Runs a check that can refuse its caller. */
export type RunRefusable = <T>(check: () => Promise<T>) => Promise<T>;

/**
 * Runs `work`. If it fails, rejects at the next multiple of 10 ms after the start, or up to a millisecond later. So the duration of a
 * refusal does not reveal small differences, such as the number of rows that were read. A success is not delayed.
 */
export async function paceFailures<T>(work: () => Promise<T>, pacing: Pacing = REAL_PACING): Promise<T> {
  const start = pacing.now();
  try {
    return await work();
  } catch (error) {
    await waitUntil(endOf(start, pacing), pacing);
    throw error;
  }
}

/** Runs `work`, and ends at the next multiple of 10 ms after the start, or up to a millisecond later, whatever its outcome. */
export async function pace<T>(work: () => Promise<T>, pacing: Pacing = REAL_PACING): Promise<T> {
  const start = pacing.now();
  try {
    return await work();
  } finally {
    await waitUntil(endOf(start, pacing), pacing);
  }
}

const endOf = (start: number, { now, random }: Pacing): number =>
  start + Math.max(1, Math.ceil((now() - start) / INTERVAL_MS)) * INTERVAL_MS + random() * JITTER_MS;

/** Waits until a time of the clock, to some microseconds. Other work goes on. */
async function waitUntil(end: number, { now, sleep, nextTurn: turn }: Pacing): Promise<void> {
  const pause = end - now() - TIMER_ERROR_MS;
  if (pause >= 1) await sleep(pause);
  while (now() < end) await turn();
}
