// Shares the process fairly among the callers whose calls arrive faster than they are served.
import { createFairSemaphore, type FairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { ServiceError } from '../../errors.ts';
import { networkOf } from '../../formats/network.ts';
import type { Metric } from '../../metric.ts';
import { DEFAULT_RETRY_AFTER_MS } from '../../problem/catalogue.ts';
import type { Call } from '../types.ts';

interface FairCallsOptions {
  /** Maximum number of running calls of all tenants. A tenant alone runs half of them. */
  readonly maxOfTenants: number;
  /** Maximum number of running calls without a principal. A network alone runs half of them. */
  readonly maxWithoutPrincipal: number;
}

export interface FairCalls {
  /**
   * Runs the work of a call. If too many calls run, it waits: tenants take turns, and networks do for calls without a principal.
   * Rejects with SERVICE_UNAVAILABLE if too many calls wait.
   */
  run<T>(call: Call, work: () => Promise<T>): Promise<T>;
  readonly metrics: readonly Metric[];
}

const MAX_QUEUED = 8_192;
/** Of one tenant or network. */
const MAX_QUEUED_PER_KEY = 4_096;

export function createFairCalls({ maxOfTenants, maxWithoutPrincipal }: FairCallsOptions): FairCalls {
  const semaphores = { tenant: createCallSemaphore(maxOfTenants), network: createCallSemaphore(maxWithoutPrincipal) };
  const samples = (read: (semaphore: FairSemaphore) => number) => () =>
    Object.entries(semaphores).map(([key, semaphore]) => ({ labels: { key }, value: read(semaphore) }));
  return {
    run(call, work) {
      const { principal } = call;
      if (principal === undefined) return semaphores.network.run(networkOf(call.clientAddress), call.deadline, work);
      // An account without a tenant has its own turn. Ids of tenants have no space.
      const { tenantId, id } = principal.account;
      return semaphores.tenant.run(tenantId ?? `account ${id}`, call.deadline, work);
    },
    metrics: [
      {
        name: 'rpc_calls_running',
        help: 'Running calls without a stream, by the key of their queue: tenant, or network for calls without a principal.',
        type: 'gauge',
        labelNames: ['key'],
        read: samples(({ running }) => running),
      },
      {
        name: 'rpc_calls_queued',
        help: 'Calls that wait for a turn, by the key of their queue.',
        type: 'gauge',
        labelNames: ['key'],
        read: samples(({ queued }) => queued),
      },
    ],
  };
}

function createCallSemaphore(maxConcurrent: number): FairSemaphore {
  return createFairSemaphore({
    maxConcurrent,
    maxQueued: MAX_QUEUED,
    maxQueuedPerKey: MAX_QUEUED_PER_KEY,
    keepsSlotsFree: true,
    queueFull: () =>
      new ServiceError('SERVICE_UNAVAILABLE', {
        detail: 'Too many calls of this tenant or network are waiting',
        retryAfterMs: DEFAULT_RETRY_AFTER_MS,
      }),
    aborted: () => new ServiceError('CANCELLED'),
  });
}
