// Days and months of UTC, whatever the machine's time zone.

/** A stretch of time in Unix milliseconds: `from` lies in it, `until` no more. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

const DAY_MS = 86_400_000;

/** The day that a time lies in. */
export function utcDay(time: number): Period {
  const from = Math.floor(time / DAY_MS) * DAY_MS;
  return { from, until: from + DAY_MS };
}

/** The month that a time lies in. */
export function utcMonth(time: number): Period {
  const date = new Date(time);
  const startOf = (month: number) => Date.UTC(date.getUTCFullYear(), month);
  return { from: startOf(date.getUTCMonth()), until: startOf(date.getUTCMonth() + 1) };
}

/** The date that a time lies in, YYYY-MM-DD. */
export function utcDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
