import type { Clock } from '../../src/clock.ts';

/** The service's time, as the test sets it. It begins at the real time and stands still. */
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
