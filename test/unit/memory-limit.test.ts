import { expect, it } from 'vitest';
import { createMemoryLimit } from '../../src/platform/limits/memory-limit.ts';
import { testClock } from '../support/clock.ts';

it('a memory limit removes ended windows first, then the oldest keys, at its maximum', () => {
  const clock = testClock();
  const limit = createMemoryLimit({ points: 1, windowMs: 1_000, clock: clock.now, maxKeys: 3 });
  const isLimited = (key: string) => limit.check(key) !== undefined;
  for (const key of ['a', 'b', 'c']) expect(limit.consume(key)).toBeTypeOf('function');
  expect(['a', 'b', 'c'].map(isLimited)).toEqual([true, true, true]);
  limit.consume('d');
  expect(['a', 'b', 'c', 'd'].map(isLimited)).toEqual([false, true, true, true]);
  clock.advance(1_000);
  for (const key of ['e', 'f', 'g']) limit.consume(key);
  expect(['d', 'e', 'f', 'g'].map(isLimited)).toEqual([false, true, true, true]);
});

it('a memory limit checks without counting, and returns the waiting time', () => {
  const clock = testClock();
  const limit = createMemoryLimit({ points: 2, windowMs: 1_000, clock: clock.now });
  for (let i = 0; i < 5; i += 1) expect(limit.check('a')).toBeUndefined();
  for (let i = 0; i < 2; i += 1) expect(limit.consume('a')).toBeTypeOf('function');
  clock.advance(400);
  expect([limit.check('a'), limit.consume('a')]).toEqual([600, 600]);
  clock.advance(600);
  expect(limit.check('a')).toBeUndefined();
  expect(limit.consume('a')).toBeTypeOf('function');
  expect(limit.check('a')).toBeUndefined();
});

it('a memory limit takes an event back, but not from a later window', () => {
  const clock = testClock();
  const limit = createMemoryLimit({ points: 1, windowMs: 1_000, clock: clock.now });
  const giveBack = limit.consume('a') as () => void;
  expect(limit.check('a')).toBe(1_000);
  giveBack();
  expect(limit.check('a')).toBeUndefined();
  const giveBackLate = limit.consume('a') as () => void;
  clock.advance(1_000);
  limit.consume('a');
  giveBackLate();
  expect(limit.check('a')).toBe(1_000);
});
