import { CLOCK_REFRESH_MS } from '../limits.ts';

/** Maximum round trip in milliseconds. A longer one does not show precisely when the database read its clock. */
const MAX_ROUND_TRIP_MS = 250;

export type ClockOffset = ReturnType<typeof createClockOffset>;

/** Stores the difference between the database's clock and this machine's, measured at the midpoint of a round trip. */
export function createClockOffset() {
  let offset = 0;
  let known = false;
  let measuredAt = -Infinity;
  return {
    /** Milliseconds by which the database is ahead; 0 before the first measurement. */
    get ms() {
      return offset;
    },
    /** Whether it is time to measure again. */
    isStale: () => performance.now() - measuredAt > CLOCK_REFRESH_MS,
    /** Measures the difference. `read` asks the database for its Unix time in milliseconds. */
    async measure(read: () => Promise<number>): Promise<void> {
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
