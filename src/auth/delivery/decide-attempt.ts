// Decides what follows an attempt of a delivery, and when the next one is.
import { KEPT_DELIVERED_MS, type FinishedAttempt } from './delivery-store.ts';

/** The response to an attempt, or why there was none. */
export type Response =
  | { readonly kind: 'answered'; readonly status: number; readonly body?: Buffer }
  | { readonly kind: 'failed'; readonly error: string };

/** `exhausted` follows the last attempt. `gone` says that no other delivery can succeed, `refused` says nothing of others. */
export type Verdict = 'delivered' | 'failed' | 'gone' | 'exhausted' | 'refused';

export interface DecidedAttempt extends FinishedAttempt {
  readonly verdict: Verdict;
}

/** What ends a delivery, and the pauses after failed attempts, in ms. */
export interface RetryRules {
  readonly pauses: readonly number[];
  readonly final: Readonly<Record<number, 'gone' | 'refused'>>;
  /** How long deliveries wait for a receiver that fails. Undefined: until each has had all its attempts. */
  readonly lifetimeMs?: number;
}

/**
 * @param attempt Its number, from 1.
 * @param times When it began, and now. Unix milliseconds.
 */
export function decideAttempt(
  response: Response,
  attempt: number,
  { attemptAt, now }: { readonly attemptAt: number; readonly now: number },
  { pauses, final }: RetryRules,
): DecidedAttempt {
  const responseStatus = response.kind === 'answered' ? response.status : undefined;
  const common = { responseStatus, attemptAt };
  if (responseStatus !== undefined && responseStatus >= 200 && responseStatus < 300) {
    const expiresAt = now + KEPT_DELIVERED_MS;
    return { ...common, verdict: 'delivered', status: 'DELIVERED', nextAt: undefined, error: undefined, expiresAt };
  }
  const error = response.kind === 'failed' ? response.error : `the receiver responded ${responseStatus}`;
  const end = responseStatus === undefined ? undefined : final[responseStatus];
  const pause = end ? undefined : pauses[attempt - 1];
  const failed = { ...common, error, expiresAt: undefined };
  if (pause !== undefined) return { ...failed, verdict: 'failed', status: 'PENDING', nextAt: now + pause };
  return { ...failed, verdict: end ?? 'exhausted', status: 'FAILED', nextAt: undefined };
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/** Returns how long a receiver pauses after failed attempts without a success: 5 s, then doubling up to 5 minutes. */
export function pauseAfterFailures(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}

/** Returns after how many failures without a success a time has passed, one after each pause. */
export function failuresWithin(ms: number): number {
  let failures = 1;
  for (let past = 0; past < ms; failures += 1) past += pauseAfterFailures(failures);
  return failures;
}
