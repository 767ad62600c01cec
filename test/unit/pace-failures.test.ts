// Failures end at multiples of 10 ms or up to a millisecond later, so their duration does not show what was read before them.
import { expect, it } from 'vitest';
import { pace, paceFailures } from '../../src/platform/concurrency/pace-failures.ts';

const refused = new Error('refused');

/** Time that passes only in sleeps, whose timers are up to 2 ms late, and in turns of the event loop. */
function fakeTime(random = 0, lateMs = 0) {
  let time = 1_000;
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    time += ms + lateMs;
  };
  return {
    pacing: {
      now: () => time,
      sleep,
      nextTurn: async () => void (time += 0.125),
      random: () => random,
    },
    slept,
    work: async (ms: number) => void (time += ms),
    elapsed: () => time - 1_000,
  };
}

const FAILURES: readonly (readonly [workMs: number, random: number, endMs: number])[] = [
  [0, 0, 10],
  [3, 0.25, 10.25],
  [7, 0.5, 10.5],
  [9.5, 0.75, 10.75],
  [10, 0, 10],
  [12, 0.25, 20.25],
];

it.each(FAILURES.flatMap((failure) => [0, 0.5, 1.5].map((lateMs) => [...failure, lateMs] as const)))(
  'a failure after %d ms, with the random part %d, rejects after exactly %d ms if timers are %d ms late',
  async (workMs, random, endMs, lateMs) => {
    const { pacing, work, elapsed } = fakeTime(random, lateMs);
    const failing = async () => {
      await work(workMs);
      throw refused;
    };
    await expect(paceFailures(failing, pacing)).rejects.toBe(refused);
    expect(elapsed()).toBe(endMs);
  },
);

it('sleeps until 2 ms before the end, so that a wait leaves the processor to other work', async () => {
  const { pacing, slept } = fakeTime(0.5);
  await expect(paceFailures(() => Promise.reject(refused), pacing)).rejects.toBe(refused);
  expect(slept).toEqual([8.5]);
});

it('a success is not delayed', async () => {
  const { pacing, work, elapsed } = fakeTime(0.5);
  const succeeding = async () => {
    await work(3);
    return 'done';
  };
  expect(await paceFailures(succeeding, pacing)).toBe('done');
  expect(elapsed()).toBe(3);
});

it('work that is paced whatever its outcome ends at the same time with a success and with a failure', async () => {
  for (const outcome of [Promise.resolve('done'), Promise.reject(refused)]) {
    const { pacing, work, elapsed } = fakeTime(0.5);
    const ended = pace(async () => {
      await work(3);
      return outcome;
    }, pacing);
    expect(await ended.catch((error: unknown) => error)).toBe(await outcome.catch((error: unknown) => error));
    expect(elapsed()).toBe(10.5);
  }
});
