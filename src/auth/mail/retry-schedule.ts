const FIRST_PAUSES_MS = [5_000, 15_000, 45_000];
const LONGEST_PAUSE_MS = 3_600_000;

/** Returns the pause after an attempt, in milliseconds: 5 s, 15 s, 45 s, then doubling up to an hour. */
export function pauseAfterAttempt(attempt: number): number {
  const last = FIRST_PAUSES_MS.length;
  const known = FIRST_PAUSES_MS[attempt - 1];
  return known ?? Math.min(FIRST_PAUSES_MS[last - 1]! * 2 ** (attempt - last), LONGEST_PAUSE_MS);
}

/** Returns the time of the next attempt; undefined if the mail is given up. */
export function nextAttemptAt(attempt: number, now: number, giveUpAt: number): number | undefined {
  const next = now + pauseAfterAttempt(attempt);
  return next < giveUpAt ? next : undefined;
}
