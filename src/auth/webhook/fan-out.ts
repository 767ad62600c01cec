// The job that makes deliveries of audit records: the records are the outbox. It reads them in the order of their seals, and moves its
// place in this order in the transaction that inserts the deliveries. So each record is taken exactly once, and events cost nothing.
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import { repeatRolledBack } from '../../platform/db/repeat-rolled-back.ts';
import { newId } from '../../platform/db/ids.ts';
import type { Database } from '../../platform/db/types.ts';
import { backgroundOf } from '../../platform/jobs/background.ts';
import { createBatchSize } from '../../platform/jobs/batch-size.ts';
import { OutdatedBatchError, intervalJob } from '../../platform/jobs/interval-job.ts';
import { createFollowedRecords, type SealedRecord } from '../audit/export/follow-records.ts';
import { enqueue, type NewDelivery } from '../delivery/outbox.ts';
import { SEALED_EVENT } from './delivery-message.ts';
import { sealedEventsOf, type Head, type SealedEvent } from './sealed-events.ts';
import { firstSequence, selectSubscribers, type Webhook } from './webhook-store.ts';

export interface FanOutOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Signs the head of the audit trail. */
  readonly signHead: (head: Head) => Promise<string>;
  /** Called after a run with records. */
  readonly onDeliveries?: () => void;
}

const JOB = 'webhooks';
const INTERVAL_MS = 1_000;
const LEASE_MS = 10_000;
/** Records of a transaction. */
const BATCH_SIZE = 200;
/** Deliveries of a transaction, beyond those of one record, and how long it should take on a server. */
const DELIVERIES: Readonly<Record<Database['engine'], Parameters<typeof createBatchSize>[0]>> = {
  sqlite: { min: 25, max: 1_000 },
  mysql: { min: 100, max: 1_000, targetMs: 50 },
};
/** How often all webhooks are read to find where the first of them begins. It only moves on. */
const FIRST_INTERVAL_MS = 60_000;

/** Creates the job of this process. */
export function createFanOut({ clock, signHead, onDeliveries, ...options }: FanOutOptions) {
  const database = backgroundOf(options.database);
  const records = createFollowedRecords(database);
  const size = createBatchSize(DELIVERIES[database.engine]);
  let unsentSince: number | undefined;
  let first: number | undefined;
  let firstReadAt = -Infinity;

  /**
   * Returns the place up to which records were fanned out, and the first place that an enabled webhook was there for. Records before it
   * need no delivery. Undefined if no webhook is enabled.
   */
  async function findPlace() {
    if (first === undefined || performance.now() - firstReadAt > FIRST_INTERVAL_MS) {
      first = await firstSequence(database);
      firstReadAt = performance.now();
    }
    if (first === undefined) return undefined;
    const stored = await records.cursorOf(JOB);
    return { stored, from: Math.max(stored ?? 0, first) };
  }

  /** Makes the deliveries of the next records. Returns the number of records. */
  async function fanOutBatch(): Promise<number> {
    const place = await findPlace();
    if (place === undefined) return 0;
    const found = await records.after(database, place.from, BATCH_SIZE);
    if (found.length === 0) return 0;
    const tenants = found.map(({ tenantId }) => tenantId);
    const range = { after: place.from, through: found.at(-1)!.sequence };
    // Signed before the transaction, which runs only SQL.
    const heads = await sealedEventsOf(records, signHead, await selectSubscribers(database, tenants), range);
    const before = database.slices.usedMs;
    const { count, isFull } = await database.transaction(UNLIMITED, async (tx) => {
      const subscribers = await selectSubscribers(tx, tenants);
      const { deliveries: ofRecords, last } = deliveriesOf(found, subscribers, { limit: size.rows, now: clock() });
      const ofHeads = deliveriesOfHeads(heads, subscribers, { last: last.sequence, now: clock() });
      const deliveries = [...ofRecords, ...ofHeads];
      if (!(await records.moveCursor(tx, JOB, place.stored, last.sequence))) throw new OutdatedBatchError();
      await enqueue(tx, database, deliveries, { now: clock() });
      return { count: found.indexOf(last) + 1, isFull: deliveries.length >= size.rows };
    });
    if (isFull) size.adapt(database.slices.usedMs - before);
    return count;
  }

  const job = intervalJob({
    name: JOB,
    database,
    clock,
    intervalMs: INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'job' },
    async begin() {
      const place = await findPlace();
      unsentSince = place && (await records.after(database, place.from, 1))[0]?.at;
      return unsentSince;
    },
    async batch() {
      const count = await repeatRolledBack(fanOutBatch);
      return { count, hasMore: count > 0 };
    },
    onRun: (count) => count > 0 && onDeliveries?.(),
    failure: 'webhook deliveries could not be made, the next interval tries again',
  });
  return {
    ...job,
    /** Returns the time of the oldest record without deliveries, as of the last run; undefined if there was none. */
    unsentSince: () => unsentSince,
  };
}

/** Returns the deliveries of records up to a limit, and the last of these records. */
function deliveriesOf(
  records: readonly SealedRecord[],
  webhooks: readonly Webhook[],
  { limit, now }: { readonly limit: number; readonly now: number },
) {
  const subscriptions = webhooks.map((webhook) => ({ webhook, events: new Set(webhook.events) }));
  const byTenant = Map.groupBy(subscriptions, ({ webhook }) => webhook.tenantId);
  const ofAll = byTenant.get(undefined) ?? [];
  const deliveries: NewDelivery[] = [];
  let last = records[0]!;
  for (const record of records) {
    if (deliveries.length >= limit) break;
    last = record;
    const { tenantId, id: recordId, event, sequence } = record;
    const ofTenant = tenantId === undefined ? [] : (byTenant.get(tenantId) ?? []);
    for (const { webhook, events } of [...ofAll, ...ofTenant]) {
      if (!events.has(event) || webhook.afterSequence >= sequence) continue;
      deliveries.push({
        id: newId(),
        receiver: webhook,
        sequence,
        event,
        content: { tenantId, recordId },
        createdAt: now,
      });
    }
  }
  return { deliveries, last };
}

/** Returns the deliveries of heads of the audit trail, up to the last record of the batch. */
function deliveriesOfHeads(
  heads: readonly SealedEvent[],
  webhooks: readonly Webhook[],
  { last, now }: { readonly last: number; readonly now: number },
): NewDelivery[] {
  return heads
    .filter(({ sequence }) => sequence <= last)
    .flatMap(({ tenantId, sequence, payload }) =>
      webhooks
        .filter((webhook) => webhook.tenantId === tenantId && webhook.events.includes(SEALED_EVENT))
        .map((webhook) => ({
          id: newId(),
          receiver: webhook,
          sequence,
          event: SEALED_EVENT,
          content: { payload },
          createdAt: now,
        })),
    );
}
