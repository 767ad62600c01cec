const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
/** The pauses after failed attempts of a delivery (Standard Webhooks 1.0, "Deliverability and reliability"). */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;

/** Returns the pause after a failed attempt of a delivery, from 1; undefined after the last one. */
export function pauseAfterAttempt(attempt: number): number | undefined {
  return PAUSES_MS[attempt - 1];
}

/** Failures of a webhook without a success, one after each pause, in the time in which all attempts of one delivery fail. */
export const MAX_FAILURES = failuresWithin(PAUSES_MS.reduce((sum, pause) => sum + pause));

function failuresWithin(ms: number): number {
  let failures = 1;
  for (let past = 0; past < ms; failures += 1) past += pauseAfterFailures(failures);
  return failures;
}

/** Returns how long a webhook pauses after failed attempts without a success: 5 s, then doubling up to 5 minutes. */
export function pauseAfterFailures(failures: number): number {
  return Math.min(5 * SECOND_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}
