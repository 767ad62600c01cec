import { CLOCK_REFRESH_MS } from '../limits.ts';

/** A round trip that took longer says too little about when the database looked at its clock. */
const MAX_ROUND_TRIP_MS = 250;

/** How far the database's clock is ahead of ours. */
export interface ClockOffset {
  /** Milliseconds, 0 before the first measurement. */
  readonly ms: number;
  /** Whether it is time to measure again. */
  isStale(): boolean;
  /** Takes a measurement: `read` asks the database for its Unix time in milliseconds. */
  measure(read: () => Promise<number>): Promise<void>;
}

/** Keeps the difference of the two clocks, taken by the midpoint of a round trip. */
export function createClockOffset(): ClockOffset {
  let offset = 0;
  let known = false;
  let measuredAt = -Infinity;
  return {
    get ms() {
      return offset;
    },
    isStale: () => performance.now() - measuredAt > CLOCK_REFRESH_MS,
    async measure(read) {
      measuredAt = performance.now();
      const sent = Date.now();
      const theirs = await read();
      const received = Date.now();
      const roundTrip = performance.now() - measuredAt;
      if (known && roundTrip > MAX_ROUND_TRIP_MS) return;
      offset = Math.round(theirs - (sent + received) / 2);
      known = true;
    },
  };
}
