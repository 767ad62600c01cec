import { expect, it } from 'vitest';
import { isoTime } from '../../gateway/contract/encode.ts';

const DAY_MS = 86_400_000;

it.each([
  0,
  -1,
  999,
  DAY_MS - 1,
  DAY_MS,
  Date.UTC(2024, 1, 29, 23, 59, 59, 999),
  Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  Date.UTC(10_000, 0, 1),
  -62_198_755_200_000,
  8.64e15,
  -8.64e15,
])('formats %d like toISOString', (milliseconds) => {
  const time = new Date(milliseconds);
  expect([isoTime(time), isoTime(time)]).toEqual([time.toISOString(), time.toISOString()]);
});

it('formats the times of more days than it keeps', () => {
  const times = Array.from({ length: 2_500 }, (_, index) => new Date(index * (DAY_MS + 61_003)));
  expect(times.map(isoTime)).toEqual(times.map((time) => time.toISOString()));
});

it('throws for an invalid time', () => {
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError);
});
