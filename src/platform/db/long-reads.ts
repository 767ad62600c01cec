// Reads that can take long, such as searches. Few run at once, so that they leave connections and CPU time for other
// statements. Tenants take turns.
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { unavailable } from './errors.ts';
import type { LongReadState, Reader } from './types.ts';

export interface LongReads {
  /** The reads at this moment. */
  readonly state: LongReadState;
  /** Runs a read when it is its turn. Rejects with DependencyUnavailableError if too many wait. */
  run<T>(reader: Reader, read: () => Promise<T>): Promise<T>;
}

/** More would wait for longer than their callers do. */
const MAX_QUEUED = 4_096;
const MAX_QUEUED_PER_TENANT = 1_024;

export function createLongReads(maxConcurrent: number): LongReads {
  const semaphore = createFairSemaphore({
    maxConcurrent,
    maxQueued: MAX_QUEUED,
    maxQueuedPerKey: MAX_QUEUED_PER_TENANT,
    queueFull: () => unavailable('too many lists are being read'),
    aborted: () => unavailable('the caller disconnected before the list was read'),
  });
  return {
    state: semaphore,
    run: ({ tenantId, deadline }, read) => semaphore.run(tenantId ?? '', deadline, read),
  };
}
