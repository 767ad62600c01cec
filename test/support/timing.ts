import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Timing } from '../../src/platform/timing.ts';

/** Time that the test advances. A sleep ends when the time has come. */
export interface TestTiming extends Timing {
  /** Number of sleeps that have not ended. */
  readonly sleeping: number;
  /** Advances from the end of one sleep to the next, and lets run what follows each. */
  advance(milliseconds: number): Promise<void>;
}

export function testTiming(): TestTiming {
  let time = 0;
  const sleeps = new Set<{ readonly end: number; readonly wake: () => void }>();
  return {
    now: () => time,
    get sleeping() {
      return sleeps.size;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const wake = () => {
          sleeps.delete(one);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const one = { end: time + ms, wake };
        sleeps.add(one);
        signal?.addEventListener('abort', wake);
      }),
    async advance(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        await nextTurn();
        const [next] = [...sleeps].toSorted((one, other) => one.end - other.end);
        if (next === undefined || next.end > end) break;
        time = next.end;
        next.wake();
      }
      time = end;
    },
  };
}
