// Failures end at multiples of 10 ms or up to a millisecond later, so their duration does not show what was read before them.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { paceFailures } from '../../src/platform/concurrency/pace-failures.ts';

const ROUNDS = 40;
const refused = new Error('refused');

/** Returns the durations of some calls that fail, in milliseconds. */
async function durationsOf(work: () => Promise<unknown>): Promise<number[]> {
  const durations: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
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
  // The others show how busy the machine is.
  const shortest = Math.min(...durations);
  expect(shortest).toBeGreaterThanOrEqual(expected);
  expect(shortest).toBeLessThan(expected + 0.5);
});

it('failures end at random times within the millisecond', async () => {
  const durations = await durationsOf(() => Promise.reject(refused));
  expect(durations.filter((duration) => duration >= 10.3).length).toBeGreaterThan(ROUNDS / 4);
});

it('a success is not delayed', async () => {
  const durations: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    expect(await paceFailures(async () => 'done')).toBe('done');
    durations.push(performance.now() - start);
  }
  expect(Math.min(...durations)).toBeLessThan(1);
});
