// An outbox of requests to receivers outside: webhooks, and applications that get logout tokens. A delivery is a row in the transaction of
// its cause, which a job sends (`deliver.ts`, `send-batch.ts`). So none is lost or sent without its cause.
// Decides: what follows an attempt (`decide-attempt.ts`). The rooms of the receivers say what a delivery sends (`receiver.ts`).
// States: a delivery is PENDING, then DELIVERED or FAILED. A queue waits, is leased by a process, or pauses after failures.
// Tables: webhook_deliveries, webhook_queues.
// Routes: none.
import type { Database, Statements } from '../../platform/db/types.ts';
import { insertDeliveries, type NewDelivery } from './delivery-store.ts';
import { insertMissingQueues, wakeQueues } from './queue-store.ts';

export {
  deleteFinished,
  DELIVERIES_CLEANUP,
  findContent,
  forgetAttempts,
  hasBacklog,
  insertDeliveries,
  restartFailed,
  type DueDelivery,
  type NewDelivery,
} from './delivery-store.ts';
export { readReceiverStates, type ReceiverState } from './queue-state-store.ts';
export {
  countWaiting,
  deleteQueue,
  insertQueue,
  markFailureTold,
  readQueueStats,
  resumeQueue,
  type QueueStats,
} from './queue-store.ts';

/**
 * Inserts deliveries, and makes the queues of their receivers due. Those of receivers without a queue are left out: a receiver can have
 * been deleted meanwhile.
 *
 * @param options.createsQueues Whether a receiver without a queue gets one instead.
 */
export async function enqueue(
  tx: Statements,
  database: Pick<Database, 'engine'>,
  deliveries: readonly NewDelivery[],
  { now, createsQueues = false }: { readonly now: number; readonly createsQueues?: boolean },
): Promise<void> {
  const receivers = new Map(deliveries.map(({ receiver }) => [receiver.id, receiver]));
  // In one order in all transactions, so that they do not deadlock.
  const inOrder = [...receivers.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  // The erasure of a tenant deletes the deliveries before the queue. None may be inserted afterwards.
  const woken = new Set((await wakeQueues(tx, database, inOrder, now)).map(({ id }) => id));
  if (createsQueues) {
    const missing = inOrder.filter(({ id }) => !woken.has(id));
    await insertMissingQueues(database, tx, missing);
    for (const { id } of await wakeQueues(tx, database, missing, now)) woken.add(id);
  }
  await insertDeliveries(
    tx,
    deliveries.filter(({ receiver }) => woken.has(receiver.id)),
  );
}
