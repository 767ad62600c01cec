// The webhook_queues table, as administrators see it. `queue-store.ts` writes it.
import { bytesToId, idToBytes } from '../../platform/db/ids.ts';
import { pairsIn, useIndex } from '../../platform/db/query/hints.ts';
import { tenantBytes } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { BY_NEXT, type ReceiverAddress } from './queue-store.ts';

/** How a receiver does. Times in Unix milliseconds. */
export interface ReceiverState {
  readonly lastSuccessAt: number | undefined;
  /** Undefined if its last attempt was a success. */
  readonly failingSince: number | undefined;
  /** Deliveries that wait for an attempt, counted up to 1,000. */
  readonly waiting: number;
}

const MAX_WAITING_COUNTED = 1_000;
/** Of a statement: SQLite joins at most 500 by UNION. */
const CHUNK_SIZE = 100;

const UNKNOWN: ReceiverState = { lastSuccessAt: undefined, failingSince: undefined, waiting: 0 };

/** Returns the states of receivers, in the same order. */
export async function readReceiverStates(
  db: Statements,
  { engine }: Pick<Database, 'engine'>,
  receivers: readonly ReceiverAddress[],
): Promise<readonly ReceiverState[]> {
  const states = new Map<string, ReceiverState>();
  for (let start = 0; start < receivers.length; start += CHUNK_SIZE) {
    const chunk = receivers.slice(start, start + CHUNK_SIZE);
    const keys = chunk.flatMap(({ tenantId, id }) => [tenantBytes(tenantId), idToBytes(id)]);
    const queues = await db.query<{ id: Uint8Array; last_success_at: number | null; failing_since: number | null }>(
      `SELECT webhook_id AS id, last_success_at, failing_since FROM webhook_queues
        WHERE ${pairsIn(engine, 'tenant_id, webhook_id', chunk.length)}`,
      keys,
    );
    const counts = chunk.map(
      (_, index) => `SELECT ${index} AS place, COUNT(*) AS waiting FROM (
        SELECT 1 AS one FROM ${useIndex({ engine }, 'webhook_deliveries', 'd', BY_NEXT)}
          WHERE d.tenant_id = ? AND d.webhook_id = ? AND d.next_at > 0 LIMIT ${MAX_WAITING_COUNTED}) counted_${index}`,
    );
    const waiting = await db.query<{ place: number; waiting: number }>(counts.join(' UNION ALL '), keys);
    const numbers = new Map(waiting.map((row) => [chunk[row.place]!.id, row.waiting]));
    for (const queue of queues) {
      const id = bytesToId(queue.id);
      states.set(id, {
        lastSuccessAt: queue.last_success_at ?? undefined,
        failingSince: queue.failing_since ?? undefined,
        waiting: numbers.get(id) ?? 0,
      });
    }
  }
  return receivers.map(({ id }) => states.get(id) ?? UNKNOWN);
}
