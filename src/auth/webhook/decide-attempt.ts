// Decides what follows an attempt of a delivery.
import { KEPT_DELIVERED_MS, type FinishedAttempt } from './delivery-store.ts';
import { pauseAfterAttempt } from './retry-schedule.ts';

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
