import type { Clock } from '../../src/platform/clock.ts';

/** A clock that the test sets. It starts at the real time and does not advance by itself. */
export interface TestClock {
  readonly now: Clock;
  advance(milliseconds: number): void;
}

export function testClock(): TestClock {
  let time = Date.now();
  return {
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds;
    },
  };
}
