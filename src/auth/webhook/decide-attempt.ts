// Decides what follows an attempt of a delivery, and when the next one is.
import { KEPT_DELIVERED_MS, type FinishedAttempt } from './delivery-store.ts';

/** The response to an attempt, or why there was none. */
export type Response =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly error: string };

/** `gone` and `exhausted` disable a webhook. `refused` ends the delivery, but says nothing of others. */
export type Verdict = 'delivered' | 'failed' | 'gone' | 'exhausted' | 'refused';

export interface DecidedAttempt extends FinishedAttempt {
  readonly verdict: Verdict;
}

/** What ends a delivery, and the pauses after failed attempts, in ms. */
export interface RetryRules {
  readonly pauses: readonly number[];
  readonly final: Readonly<Record<number, 'gone' | 'refused'>>;
}

/**
 * @param attempt Its number, from 1.
 * @param times When it began, and now. Unix milliseconds.
 * @param rules Default: those of webhooks.
 */
export function decideAttempt(
  response: Response,
  attempt: number,
  { attemptAt, now }: { readonly attemptAt: number; readonly now: number },
  { pauses, final }: RetryRules = WEBHOOK_RETRIES,
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
export const WEBHOOK_RETRIES: RetryRules = { pauses: PAUSES_MS, final: { 410: 'gone' } };

/** Of logout tokens. 400 is an application's refusal (OpenID Connect Back-Channel Logout 1.0 section 2.8). */
export const LOGOUT_RETRIES: RetryRules = {
  pauses: [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS],
  final: { 400: 'refused' },
};

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
