// Records when credentials were last used, outside of the calls: first in memory, then stored in batches.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';

const INTERVAL_MS = 5_000;

/** @param store Stores the latest uses by id. It must never set a time back. If it fails, only these uses are lost. */
export function recordLastUsed<Key>(options: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: (uses: readonly { readonly key: Key; readonly at: number }[]) => Promise<void>;
}) {
  const { clock, log, store } = options;
  let uses = new Map<string, { key: Key; at: number }>();

  async function flush(): Promise<void> {
    if (uses.size === 0) return;
    const batch = [...uses.values()];
    uses = new Map();
    try {
      await store(batch);
    } catch (error) {
      log.warn({ err: error, count: batch.length }, 'last uses of credentials could not be stored');
    }
  }

  const timer = setInterval(() => void flush(), INTERVAL_MS).unref();
  return {
    /** Records a use in memory, without a query. */
    used: (id: string, key: Key) => void uses.set(id, { key, at: clock() }),
    /** Stores the recorded uses and stops the timer. */
    async close(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
