// With the real clock, timers and randomness: the shortest of some failures shows the pause, the others how busy the machine is.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { paceFailures } from '../../src/platform/concurrency/pace-failures.ts';

const CALLS = 40;
const refused = new Error('refused');

/** Returns the durations of some calls that fail, in milliseconds. */
async function durationsOf(work: () => Promise<unknown>): Promise<number[]> {
  const durations: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const start = performance.now();
    await expect(paceFailures(work)).rejects.toBe(refused);
    durations.push(performance.now() - start);
  }
  return durations;
}

it.each([
  [0, 10],
  [3, 10],
  [7, 10],
  [12, 20],
])('a failure after %d ms rejects after %d ms, to parts of a millisecond', async (workMs, expected) => {
  const durations = await durationsOf(async () => {
    if (workMs > 0) await delay(workMs);
    throw refused;
  });
  const shortest = Math.min(...durations);
  expect(shortest).toBeGreaterThanOrEqual(expected);
  expect(shortest).toBeLessThan(expected + 0.5);
});

it('failures end at random times within the millisecond', async () => {
  const durations = await durationsOf(() => Promise.reject(refused));
  expect(durations.filter((duration) => duration >= 10.3).length).toBeGreaterThan(CALLS / 4);
});

it('a success is not delayed', async () => {
  const durations: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const start = performance.now();
    expect(await paceFailures(async () => 'done')).toBe('done');
    durations.push(performance.now() - start);
  }
  expect(Math.min(...durations)).toBeLessThan(1);
});
