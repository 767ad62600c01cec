// Decides what follows an attempt of a delivery, and when the next one is.
import { KEPT_DELIVERED_MS, type FinishedAttempt } from './delivery-store.ts';

/** The response to an attempt, or why there was none. */
export type Response =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly error: string };

/** `gone` and `exhausted` disable the webhook. */
export type Verdict = 'delivered' | 'failed' | 'gone' | 'exhausted';

export interface DecidedAttempt extends FinishedAttempt {
  readonly verdict: Verdict;
}

const GONE = 410;

/**
 * @param attempt Its number, from 1.
 * @param times When it began, and now. Unix milliseconds.
 */
export function decideAttempt(
  response: Response,
  attempt: number,
  { attemptAt, now }: { readonly attemptAt: number; readonly now: number },
): DecidedAttempt {
  const responseStatus = response.kind === 'answered' ? response.status : undefined;
  const common = { responseStatus, attemptAt };
  if (responseStatus !== undefined && responseStatus >= 200 && responseStatus < 300) {
    const expiresAt = now + KEPT_DELIVERED_MS;
    return { ...common, verdict: 'delivered', status: 'DELIVERED', nextAt: undefined, error: undefined, expiresAt };
  }
  const error = response.kind === 'failed' ? response.error : `the receiver responded ${responseStatus}`;
  const pause = responseStatus === GONE ? undefined : pauseAfterAttempt(attempt);
  const failed = { ...common, error, expiresAt: undefined };
  if (pause !== undefined) return { ...failed, verdict: 'failed', status: 'PENDING', nextAt: now + pause };
  const verdict = responseStatus === GONE ? 'gone' : 'exhausted';
  return { ...failed, verdict, status: 'FAILED', nextAt: undefined };
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

/** Returns the pause after a failed attempt of a delivery, from 1; undefined after the last one. */
function pauseAfterAttempt(attempt: number): number | undefined {
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
