// Records when credentials were last used, outside of the calls: first in memory, then stored in batches.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/types.ts';
import { backgroundOf } from './background.ts';
import { startJob } from './start-job.ts';

const INTERVAL_MS = 5_000;

/** @param options.store Stores the latest uses by id. It must never set a time back. If it fails, only these uses are lost. */
export function recordLastUsed<Key>(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: (database: Database, uses: readonly { readonly key: Key; readonly at: number }[]) => Promise<void>;
}) {
  const { clock, log, store } = options;
  const database = backgroundOf(options.database);
  let uses = new Map<string, { key: Key; at: number }>();

  async function flush(): Promise<void> {
    if (uses.size === 0) return;
    const batch = [...uses.values()];
    uses = new Map();
    try {
      await store(database, batch);
    } catch (error) {
      log.warn({ err: error, count: batch.length }, 'last uses of credentials could not be stored');
    }
  }

  // It logs its failures.
  const job = startJob({ database, intervalMs: INTERVAL_MS, run: flush, onFailure: () => undefined });
  return {
    /** Records a use in memory, without a query. */
    used: (id: string, key: Key) => void uses.set(id, { key, at: clock() }),
    /** Stores the recorded uses and stops the timer. */
    async close(): Promise<void> {
      await job.stop();
      await flush();
    },
  };
}
