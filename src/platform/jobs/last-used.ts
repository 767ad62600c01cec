// Records when credentials were last used, outside of the calls: first in memory, then stored in batches.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/types.ts';
import { backgroundOf } from './background.ts';
import { intervalJob } from './interval-job.ts';

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

  let storing: { key: Key; at: number }[] = [];

  const job = intervalJob({
    name: 'last-used',
    database,
    clock,
    intervalMs: INTERVAL_MS,
    async begin() {
      storing = [...uses.values()];
      uses = new Map();
      return storing.length > 0 ? storing : undefined;
    },
    async batch(batch) {
      await store(database, batch);
      return { count: batch.length, hasMore: false };
    },
    failure: 'last uses of credentials could not be stored',
    failureFields: (error) => ({ err: error, count: storing.length }),
  }).start(log);
  return {
    /** Records a use in memory, without a query. */
    used: (id: string, key: Key) => void uses.set(id, { key, at: clock() }),
    /** Stores the recorded uses and stops the timer. */
    async close(): Promise<void> {
      await job.stop();
      await job.runNow();
    },
  };
}
