// Deadlines of calls, by the machine's clock.
import type { Deadline } from '../../src/platform/clock.ts';

/** The deadline of a caller that waits for so long from now on. A negative number is in the past. */
export function inMs(ms: number): Deadline {
  return { at: Date.now() + ms, signal: new AbortController().signal };
}
