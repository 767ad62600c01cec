// Days and months in UTC, independent of the machine's time zone.

/** A period in Unix milliseconds: `from` is included, `until` is not. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

const DAY_MS = 86_400_000;

/** Returns the day that contains a time. */
export function utcDay(time: number): Period {
  const from = Math.floor(time / DAY_MS) * DAY_MS;
  return { from, until: from + DAY_MS };
}

/** Returns the month that contains a time. */
export function utcMonth(time: number): Period {
  const date = new Date(time);
  const startOf = (month: number) => Date.UTC(date.getUTCFullYear(), month);
  return { from: startOf(date.getUTCMonth()), until: startOf(date.getUTCMonth() + 1) };
}

/** Returns the date of a time, YYYY-MM-DD. */
export function utcDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
