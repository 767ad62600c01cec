// The lock against guessing: 5 wrong codes of an account within 15 minutes. It counts TOTP and recovery codes over all challenges.
// Passkeys cannot be guessed: they neither count nor are locked. Pure functions.
import type { FactorRow } from './factor-store.ts';

const MAX_FAILURES = 5;
const WINDOW_MS = 15 * 60_000;
const LOCK_MS = 15 * 60_000;

/** The wrong codes of an account. Times are Unix milliseconds. */
export type CodeFailures = Pick<FactorRow, 'failedCount' | 'firstFailedAt' | 'lockedUntil'>;

export const NO_FAILURES: CodeFailures = { failedCount: 0, firstFailedAt: undefined, lockedUntil: undefined };

/** Returns when the lock ends; undefined if there is none. */
export function codeLockEnd({ lockedUntil }: CodeFailures, now: number): number | undefined {
  return lockedUntil !== undefined && lockedUntil > now ? lockedUntil : undefined;
}

/** Returns the state after a wrong code. A lock that has ended, or a window that is over, begins at 1 again. */
export function countWrongCode(state: CodeFailures, now: number): CodeFailures {
  const { failedCount, firstFailedAt, lockedUntil } = state;
  const isOver = lockedUntil !== undefined || firstFailedAt === undefined || firstFailedAt + WINDOW_MS <= now;
  const counted = isOver ? 1 : failedCount + 1;
  return {
    failedCount: counted,
    firstFailedAt: isOver ? now : firstFailedAt,
    lockedUntil: counted >= MAX_FAILURES ? now + LOCK_MS : undefined,
  };
}
