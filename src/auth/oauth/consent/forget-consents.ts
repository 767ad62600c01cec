// The job that deletes the consents to applications that no longer exist. The deletion of an application does not write them, because
// there can be millions. Grants of deleted applications expire by themselves.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { backgroundOf } from '../../../platform/jobs/background.ts';
import { createBatchSize } from '../../../platform/jobs/batch-size.ts';
import { intervalJob } from '../../../platform/jobs/interval-job.ts';
import { deleteConsentsTo, findNextConsented } from './consent-store.ts';

const INTERVAL_MS = 3_600_000;
const LEASE_MS = 60_000;
const FIRST: Buffer = Buffer.alloc(0);
const BATCH = { min: 100, max: 1_000, targetMs: 5 };

/** Creates the job of this process. It looks at each application once: the index has its consents together. */
export function createForgetConsents({ clock, ...options }: { readonly database: Database; readonly clock: Clock }) {
  const database = backgroundOf(options.database);
  return intervalJob({
    name: 'forget-consents',
    database,
    clock,
    intervalMs: INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'run' },
    begin: async () => ({ after: FIRST, size: createBatchSize(BATCH) }),
    /** Deletes a batch of the consents to the next application, or passes it. */
    async batch(work) {
      const next = await findNextConsented(database, work.after);
      if (!next) return { count: 0, hasMore: false };
      const { rows } = work.size;
      const before = database.slices.usedMs;
      const count = next.exists ? 0 : await deleteConsentsTo(database, next.applicationId, rows);
      if (!next.exists) work.size.adapt(database.slices.usedMs - before);
      if (count < rows) work.after = next.applicationId;
      return { count, hasMore: true };
    },
    failure: 'consents to deleted applications could not be deleted, the next interval tries again',
  });
}
