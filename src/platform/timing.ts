import { setTimeout as delay } from 'node:timers/promises';

/** Time for durations and pauses, in milliseconds. Injected as one, so that tests can set both parts. */
export interface Timing {
  /** A clock that is never set back. */
  readonly now: () => number;
  /** Resolves after a time, or when the signal aborts. */
  readonly sleep: Sleep;
}

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = (ms, signal) => delay(ms, undefined, signal && { signal }).catch(() => undefined);

export const REAL_TIMING: Timing = { now: () => performance.now(), sleep };
