/** Unix time in milliseconds. Injected, so that tests can set it. */
export type Clock = () => number;

/** The deadline of a caller. Writes that are not committed by then must never happen. */
export interface Deadline {
  /** Unix time in milliseconds by the machine's clock, never an injected one. */
  readonly at: number;
  /** Aborts at `at`, or earlier if the caller disconnects. */
  readonly signal: AbortSignal;
  /** Whether the signal has aborted, checked without creating it. */
  readonly isAborted?: () => boolean;
}

/** Whether the caller no longer waits for the response. */
export function isOver(deadline: Deadline): boolean {
  return isAborted(deadline) || Date.now() >= deadline.at;
}

/** For work that no caller waits for; each statement still has its own limits. */
export const UNLIMITED: Deadline = { at: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };

function isAborted(deadline: Deadline): boolean {
  return deadline.isAborted?.() ?? deadline.signal.aborted;
}
