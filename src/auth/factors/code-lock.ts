// The lock against guessing: within any 15 minutes, at most 5 wrong codes of an account are evaluated. It counts TOTP and recovery
// codes over all challenges. Passkeys cannot be guessed: they neither count nor are locked. Pure functions.
import type { FactorRow } from './factor-store.ts';

const MAX_FAILURES = 5;
const WINDOW_MS = 15 * 60_000;
const LOCK_MS = 15 * 60_000;

/** The wrong codes of an account. Times are Unix milliseconds. */
export type CodeFailures = Pick<FactorRow, 'failedTimes' | 'lockedUntil'>;

export const NO_FAILURES: CodeFailures = { failedTimes: [], lockedUntil: undefined };

/** Returns when the lock ends; undefined if there is none. */
export function codeLockEnd({ lockedUntil }: CodeFailures, now: number): number | undefined {
  return lockedUntil !== undefined && lockedUntil > now ? lockedUntil : undefined;
}

/** Returns the state after a wrong code that was evaluated. A lock lasts as long as the window, so no code counts after it. */
export function countWrongCode({ failedTimes }: CodeFailures, now: number): CodeFailures {
  const counted = [...failedTimes.filter((at) => at > now - WINDOW_MS), now].slice(-MAX_FAILURES);
  return { failedTimes: counted, lockedUntil: counted.length >= MAX_FAILURES ? now + LOCK_MS : undefined };
}
