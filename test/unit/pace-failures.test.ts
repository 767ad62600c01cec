// Failures end at multiples of 10 ms, so their duration does not show what was read before them.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { paceFailures } from '../../src/concurrency/pace-failures.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const refused = new Error('refused');

/** Returns how many milliseconds after the start the work has settled. */
async function durationOf(work: () => Promise<unknown>): Promise<{ readonly ms: number; readonly error: unknown }> {
  let settled: { readonly error: unknown } | undefined;
  paceFailures(work).then(
    () => (settled = { error: undefined }),
    (error: unknown) => (settled = { error }),
  );
  for (let ms = 0; ms <= 100; ms += 1) {
    await vi.advanceTimersByTimeAsync(ms === 0 ? 0 : 1);
    if (settled) return { ms, ...settled };
  }
  throw new Error('the work did not settle');
}

it.each([
  [0, 10],
  [3, 10],
  [9, 10],
  [12, 20],
])('a failure after %d ms rejects after %d ms', async (workMs, ms) => {
  const work = async () => {
    await after(workMs);
    throw refused;
  };
  expect(await durationOf(work)).toEqual({ ms, error: refused });
});

it('a failure without waiting rejects after 10 ms', async () => {
  expect(await durationOf(() => Promise.reject(refused))).toEqual({ ms: 10, error: refused });
});

it('a success is not delayed, and leaves no timer', async () => {
  expect(await durationOf(() => after(3))).toEqual({ ms: 3, error: undefined });
  expect(vi.getTimerCount()).toBe(0);
});
