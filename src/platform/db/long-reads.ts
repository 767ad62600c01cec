// Reads that can take long, such as searches. Few run at once, so that they leave connections and CPU time for other
// statements. Tenants take turns.
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { unavailable } from './errors.ts';
import type { LongReadState, Reader } from './types.ts';

/** More would wait for longer than their callers do. */
const MAX_QUEUED = 4_096;
const MAX_QUEUED_PER_TENANT = 1_024;

export function createLongReads(maxConcurrent: number) {
  const semaphore = createFairSemaphore({
    maxConcurrent,
    maxQueued: MAX_QUEUED,
    maxQueuedPerKey: MAX_QUEUED_PER_TENANT,
    queueFull: () => unavailable('too many lists are being read'),
    aborted: () => unavailable('the caller disconnected before the list was read'),
  });
  return {
    /** The reads at this moment. */
    state: semaphore as LongReadState,
    /** Runs a read when it is its turn. Rejects with DependencyUnavailableError if too many wait. */
    run: <T>({ tenantId, deadline }: Reader, read: () => Promise<T>) => semaphore.run(tenantId ?? '', deadline, read),
  };
}
