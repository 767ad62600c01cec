import { CLOCK_REFRESH_MS } from '../limits.ts';

/** Maximum round trip in milliseconds. A longer one does not show precisely when the database read its clock. */
const MAX_ROUND_TRIP_MS = 250;

/** The difference between the database's clock and this machine's. */
export interface ClockOffset {
  /** Milliseconds by which the database is ahead; 0 before the first measurement. */
  readonly ms: number;
  /** Whether it is time to measure again. */
  isStale(): boolean;
  /** Measures the difference. `read` asks the database for its Unix time in milliseconds. */
  measure(read: () => Promise<number>): Promise<void>;
}

/** Stores the difference of the two clocks, measured at the midpoint of a round trip. */
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
