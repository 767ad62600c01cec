import { ApiError } from './api-error.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** Computes the time of the next attempt after a failed exchange. */
export interface Backoff {
  /** The failure, until its wait ends. */
  failure(): ApiError | undefined;
  /** The time of the next attempt, 0 if nothing failed. */
  readonly until: number;
  /** Records a failure. The wait is that of another tab or of Retry-After, otherwise it doubles from 1 s to 30 s. */
  failed(error: ApiError, until?: number): void;
  /** Clears the failures. */
  reset(): void;
  /** Ends the wait if the service could not be reached at all. */
  reachable(): void;
}

export function createBackoff(random: () => number = Math.random): Backoff {
  let failures = 0;
  let until = 0;
  let last: ApiError | undefined;
  return {
    failure: () => (Date.now() < until && until - Date.now() <= longest(last) ? last : undefined),
    get until() {
      return until;
    },
    failed(error, at) {
      failures += 1;
      last = error;
      const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1)) * (0.5 + random() / 2);
      until = at ?? Date.now() + (error.retryAfterMs ?? wait);
    },
    reset() {
      failures = 0;
      until = 0;
      last = undefined;
    },
    reachable() {
      if (last?.status === 0) until = 0;
    },
  };
}

/** A clock that is set back must not extend a wait. */
const longest = (error: ApiError | undefined): number => Math.max(LONGEST_MS, error?.retryAfterMs ?? 0);
