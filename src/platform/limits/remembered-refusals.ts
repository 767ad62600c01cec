// Keys that a shared limit has refused, in the memory of this process. Until the limit ends, it need not be asked again.
import type { Clock } from '../clock.ts';

interface Refusal {
  /** When the window of the limit ends, Unix milliseconds. */
  readonly endsAt: number;
  /** When the limit is asked again. */
  readonly rememberedUntil: number;
}

/** Maximum number of keys. Beyond it, the oldest is forgotten, and the limit is asked again. */
const MAX_KEYS = 100_000;

export function createRememberedRefusals(clock: Clock, maxKeys = MAX_KEYS) {
  const refusals = new Map<string, Refusal>();

  return {
    /** Returns the wait of a refused key in milliseconds; undefined if the limit has to be asked. */
    waitOf(key: string): number | undefined {
      const refusal = refusals.get(key);
      const now = clock();
      if (refusal !== undefined && refusal.rememberedUntil > now) return refusal.endsAt - now;
      refusals.delete(key);
      return undefined;
    },
    /** Remembers a refusal, at most for this time. */
    add(key: string, waitMs: number, maxMs: number): void {
      refusals.delete(key);
      if (refusals.size >= maxKeys) refusals.delete(refusals.keys().next().value!);
      const now = clock();
      refusals.set(key, { endsAt: now + waitMs, rememberedUntil: now + Math.min(waitMs, maxMs) });
    },
    forget: (key: string): void => void refusals.delete(key),
  };
}
