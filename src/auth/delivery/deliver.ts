// The job that sends deliveries. Each process leases the queues of receivers that are due, so the deliveries of a receiver leave from one
// process at a time, in their order as far as retries allow. Receivers that fail or are slow have places of their own: they delay no others.
import type { Logger } from 'pino';
import { UNLIMITED } from '../../platform/clock.ts';
import { createBackgroundRetries } from '../../platform/concurrency/background-retries.ts';
import { newId } from '../../platform/db/ids.ts';
import type { Statements } from '../../platform/db/types.ts';
import { backgroundOf } from '../../platform/jobs/background.ts';
import { intervalJob } from '../../platform/jobs/interval-job.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';
import type { AuditContext, AuditEvent, AuditLog } from '../audit/trail/audit-log.ts';
import { pauseAfterFailures, type Verdict } from './decide-attempt.ts';
import { deleteDelivery, giveUpDeliveries, nextDueAt, storeAttempt } from './delivery-store.ts';
import { leaseQueues, releaseQueue, scheduleQueue, type LeasedQueue } from './queue-store.ts';
import { RECEIVER_KINDS, type FindReceiver, type Receiver } from './receiver.ts';
import { createSendBatch, type SendBatchOptions, type SentBatch } from './send-batch.ts';

export interface DelivererOptions extends SendBatchOptions {
  readonly findReceiver: FindReceiver;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly log: Logger;
  /** For tests. */
  readonly places?: Places;
}

/** How many receivers a process serves at the same time. */
interface Places {
  readonly fast: number;
  /** Of those that fail or are slow. */
  readonly slow: number;
  /** A receiver gives its fast place up after this time. */
  readonly fastMs: number;
  /** Of all, also those that have given their fast place up. */
  readonly total: number;
}

const INTERVAL_MS = 1_000;
/** The pause before the next look after a receiver was served, because it can have more. */
const NEXT_MS = 50;
/** Longer than the time limit of a request and the deliveries that wait for it. */
const LEASE_MS = 60_000;
const PLACES: Places = { fast: 100, slow: 100, fastMs: 500, total: 1_000 };
/** The deliveries of a suspended tenant wait until it is active again, which is looked for so often. */
const SUSPENDED_PAUSE_MS = 60_000;
/** Deliveries that are given up together, so that their transaction stays short. */
const GIVEN_UP_AT_ONCE = 1_000;
/** Recorded instead of a client's address. */
const WEBHOOK_JOB = 'webhook-job';

const NOT_STORED = 'deliveries could not be stored, they are sent again';
const NOT_DELIVERED: Readonly<Record<Receiver['kind'], string>> = {
  webhook: 'webhook not delivered',
  application: 'logout token not delivered',
};
const FAILURES: readonly Verdict[] = ['failed', 'gone', 'exhausted'];
type Result = 'delivered' | 'failed' | 'given-up';
const NOTHING: SentBatch = { attempts: [], missing: [], isSlow: false };

/** Creates the job of this process. */
export function createDeliverer(options: DelivererOptions) {
  const { findReceiver, audit, clock, log, places = PLACES } = options;
  const database = backgroundOf(options.database);
  const sendBatch = createSendBatch({ ...options, database });
  const holder = newId();
  const counts = Object.fromEntries(
    RECEIVER_KINDS.map((kind) => [kind, { delivered: 0, failed: 0, 'given-up': 0 }] as const),
  ) as Record<Receiver['kind'], Record<Result, number>>;
  const served = { fast: new Set<Promise<void>>(), slow: new Set<Promise<void>>() };
  // A batch that is not stored is sent again. On a cluster, the transaction conflicts with new deliveries on another node.
  const storing = createBackgroundRetries({
    isTemporary: (error) => error instanceof DependencyUnavailableError,
    onGiveUp: (error) => log.warn({ err: error }, NOT_STORED),
  });

  async function serve(queue: LeasedQueue, signal: AbortSignal): Promise<void> {
    const receiver = await findReceiver(queue);
    const sent = receiver?.state === 'open' ? await sendBatch(queue, receiver, signal) : NOTHING;
    // It can run again after a commit whose response was lost: an attempt is stored once, and the queue is not held any more.
    if (await storing.run(() => finish(queue, sent, receiver), 0)) report(queue, sent.attempts, receiver);
  }

  async function finish(
    queue: LeasedQueue,
    { attempts, missing, isSlow }: SentBatch,
    receiver: Receiver | undefined,
  ): Promise<void> {
    const verdicts = new Set(attempts.map(({ decided }) => decided.verdict));
    const succeeded = attempts.findLast(({ decided }) => decided.verdict === 'delivered');
    const failed = attempts.find(({ decided }) => FAILURES.includes(decided.verdict));
    const hasFailed = failed !== undefined;
    const failures = (verdicts.has('delivered') ? 0 : queue.failures) + (hasFailed ? 1 : 0);
    const isHeldBack = receiver?.state === 'held-back';
    const pauseMs = isHeldBack ? SUSPENDED_PAUSE_MS : hasFailed ? pauseAfterFailures(failures) : 0;
    const pausedUntil = pauseMs > 0 ? clock() + pauseMs : 0;
    const isStuck = hasFailed || isSlow || isHeldBack;
    const change = await receiver?.afterBatch?.({ verdicts, failures, isStuck });
    const lifetimeMs = hasFailed ? receiver?.retries.lifetimeMs : undefined;
    const store = async (tx: Statements, record: (event: AuditEvent) => void) => {
      // First, because changes of a receiver lock it before its queue.
      await change?.(tx, record);
      const state = {
        failures,
        isSlow: isSlow || failures > 0,
        pausedUntil,
        succeededAt: succeeded?.decided.attemptAt,
        failedAt: failed?.decided.attemptAt,
      };
      const isHeld = await releaseQueue(tx, holder, queue, state);
      for (const { delivery, decided, log: kept } of attempts)
        await storeAttempt(tx, queue, delivery, { ...decided, log: kept });
      for (const { id } of missing) await deleteDelivery(tx, queue, id);
      if (lifetimeMs !== undefined)
        await giveUpDeliveries(tx, database, queue, { since: clock() - lifetimeMs, limit: GIVEN_UP_AT_ONCE });
      // It can have been enabled or disabled meanwhile.
      if (!isHeld || receiver === undefined || (await receiver.isOpenIn?.(tx)) === false) return;
      const next = await nextDueAt(tx, database, queue);
      // At the end of the line: with the time since which its deliveries wait, it would come before all others again.
      if (next !== undefined) await scheduleQueue(tx, queue, Math.max(next, pausedUntil, clock()));
    };
    await database.slices.run(() => audit.commit(jobContext(log), store));
  }

  function report(
    { id, tenantId }: LeasedQueue,
    attempts: SentBatch['attempts'],
    receiver: Receiver | undefined,
  ): void {
    if (receiver === undefined) return;
    const { kind } = receiver;
    for (const { delivery, decided } of attempts) {
      const { verdict, responseStatus, error, nextAt } = decided;
      counts[kind][verdict === 'delivered' || verdict === 'failed' ? verdict : 'given-up'] += 1;
      if (verdict === 'delivered') continue;
      const fields = { [kind]: id, tenantId, delivery: delivery.id, attempt: delivery.attempts + 1, responseStatus };
      const next = nextAt && new Date(nextAt).toISOString();
      log.info({ ...fields, reason: error, nextAt: next }, NOT_DELIVERED[kind]);
    }
  }

  /** Leases due receivers and serves them. Returns how many it has begun to serve. */
  async function begin(signal: AbortSignal, onEnd: () => void): Promise<number> {
    if (signal.aborted) return 0;
    const total = places.total - served.fast.size - served.slow.size;
    const slow = Math.min(Math.max(0, places.slow - served.slow.size), total);
    const free = { fast: Math.min(places.fast - served.fast.size, total - slow), slow };
    const now = clock();
    const queues = await leaseQueues(database, { holder, now, until: now + LEASE_MS }, free);
    for (const queue of queues) {
      const serving: Promise<void> = serve(queue, signal)
        .catch((error: unknown) => log.warn({ err: error, receiver: queue.id }, NOT_STORED))
        .finally(() => {
          clearTimeout(timer);
          served.fast.delete(serving);
          served.slow.delete(serving);
          onEnd();
        });
      served[queue.isSlow ? 'slow' : 'fast'].add(serving);
      // Receivers that stop responding at the same time must not keep all fast places for as long as they are waited for.
      const timer = setTimeout(() => {
        if (!served.fast.delete(serving)) return;
        served.slow.add(serving);
        onEnd();
      }, places.fastMs).unref();
    }
    return queues.length;
  }

  const ended = async () => void (await Promise.all([...served.fast, ...served.slow]));

  /** Lets each batch be stored once more, and resolves when all receivers have been served. No batch may begin afterwards. */
  async function stop(): Promise<void> {
    await storing.stop();
    await ended();
  }

  /** Looks for due receivers each second, and soon after deliveries. Serves them while it looks for others. */
  const job = intervalJob({
    name: 'webhook-deliveries',
    database,
    clock,
    intervalMs: INTERVAL_MS,
    wakeMs: NEXT_MS,
    begin: async () => true,
    batch: async (_, { signal }) => ({ count: await begin(signal, () => job.wake()), hasMore: false }),
    onStop: stop,
    failure: 'deliveries could not be looked for, the next interval tries again',
  });

  return {
    start: job.start,
    /** Looks soon, because there are new deliveries. */
    wake: job.wake,
    begin,
    stop,
    /** Sends all deliveries that are due. */
    async run(signal: AbortSignal = new AbortController().signal): Promise<void> {
      while ((await begin(signal, () => {})) > 0) await ended();
    },
    counts,
  };
}

/** The context of audit records of the job. */
function jobContext(log: Logger): AuditContext {
  return { requestId: newId(), clientAddress: WEBHOOK_JOB, deadline: UNLIMITED, log };
}
