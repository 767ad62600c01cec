/** Unix time in milliseconds. Injected wherever the domain asks for the time, so that tests can set it. */
export type Clock = () => number;

/** Until when a caller waits for an answer. What has not been committed by then must never happen. */
export interface Deadline {
  /** Unix time in milliseconds by the machine's clock, never an injected one. */
  readonly at: number;
  /** Aborts at `at`, or earlier when the caller goes away. */
  readonly signal: AbortSignal;
  /** Whether the signal has aborted, asked without making one. */
  readonly isAborted?: () => boolean;
}

/** Whether nobody waits for an answer any more. */
export function isOver(deadline: Deadline): boolean {
  return (deadline.isAborted?.() ?? deadline.signal.aborted) || Date.now() >= deadline.at;
}

/** For work that no caller waits for; each statement still has its own limits. */
export const UNLIMITED: Deadline = { at: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };
