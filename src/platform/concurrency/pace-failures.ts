import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** Longer than most checks of a credential take, so that nearly all failures take one interval. */
const INTERVAL_MS = 10;
/**
 * What a process did before can still make a response some 10 µs faster or slower after the wait. With random ends within a
 * millisecond, thousands of pairs of requests would be needed to see that.
 */
const JITTER_US = 1_000;
/** Timers end up to so much late, and how late depends on when the work ended. */
const TIMER_ERROR_MS = 2;

/**
 * Runs `work`. If it fails, rejects at the next multiple of 10 ms after the start, or up to a millisecond later. So the duration of a
 * refusal does not reveal small differences, such as the number of rows that were read. A success is not delayed.
 */
export async function paceFailures<T>(work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } catch (error) {
    await waitUntil(endOf(start));
    throw error;
  }
}

/** Runs `work`, and ends at the next multiple of 10 ms after the start, or up to a millisecond later, whatever its outcome. */
export async function pace<T>(work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    await waitUntil(endOf(start));
  }
}

const endOf = (start: number): number =>
  start +
  Math.max(1, Math.ceil((performance.now() - start) / INTERVAL_MS)) * INTERVAL_MS +
  randomInt(JITTER_US) / 1_000;

/** Waits until a time of `performance.now()`, to some microseconds. Other work goes on. */
async function waitUntil(end: number): Promise<void> {
  const pause = end - performance.now() - TIMER_ERROR_MS;
  if (pause >= 1) await delay(pause);
  while (performance.now() < end) await nextTurn();
}
