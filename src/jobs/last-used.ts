// When credentials were last used, written off the hot path: remembered in memory and stored in batches.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';

export interface LastUsedRecorder<Key> {
  /** Remembers a use; costs no query. */
  used(id: string, key: Key): void;
  /** Stores what is remembered, ends the timer. */
  close(): Promise<void>;
}

const INTERVAL_MS = 5_000;

/**
 * @param store Stores the latest uses, by id; it must never set a time back. A failure loses these uses, nothing else.
 */
export function recordLastUsed<Key>(options: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: (uses: readonly { readonly key: Key; readonly at: number }[]) => Promise<void>;
}): LastUsedRecorder<Key> {
  const { clock, log, store } = options;
  let uses = new Map<string, { key: Key; at: number }>();

  async function flush(): Promise<void> {
    if (uses.size === 0) return;
    const batch = [...uses.values()];
    uses = new Map();
    try {
      await store(batch);
    } catch (error) {
      log.warn({ err: error, count: batch.length }, 'the last uses of credentials could not be stored');
    }
  }

  const timer = setInterval(() => void flush(), INTERVAL_MS).unref();
  return {
    used: (id, key) => void uses.set(id, { key, at: clock() }),
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
