// The webhook_queues table: when each receiver is looked at next, and by which process.
import { bytesToId, idToBytes } from '../../platform/db/ids.ts';
import { pairsIn, useIndex } from '../../platform/db/query/hints.ts';
import { acrossTenants, tenantBytes, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Row, Statements } from '../../platform/db/types.ts';

/** The tenant of a receiver, and its id. */
export interface ReceiverAddress {
  /** Undefined for a receiver for all tenants. */
  readonly tenantId: string | undefined;
  readonly id: string;
}

/** The queue of a receiver that this process has leased. */
export interface LeasedQueue extends ReceiverAddress {
  /** Failed attempts since the last success. */
  readonly failures: number;
  readonly isSlow: boolean;
}

/** The state of a queue after its deliveries. */
export interface QueueState extends Pick<LeasedQueue, 'failures' | 'isSlow'> {
  readonly pausedUntil: number;
  /** When the last successful attempt of the deliveries began; undefined if there was none. */
  readonly succeededAt?: number | undefined;
  /** When their first failed attempt began; undefined if there was none. */
  readonly failedAt?: number | undefined;
}

export interface QueueStats {
  /** Receivers whose last attempt failed. */
  readonly failing: number;
  /** When the oldest delivery was due that waits for a process; undefined if none is due. */
  readonly oldestDueAt: number | undefined;
}

const OF_ALL_TENANTS = acrossTenants('the deliveries of all tenants are sent');
/** An index of the deliveries. */
export const BY_NEXT = ['tenant_id', 'webhook_id', 'next_at', 'sequence'] as const;
const ADDRESSED = 'WHERE tenant_id = :tenant AND webhook_id = ?';
const keysOf = (queues: readonly ReceiverAddress[]) =>
  queues.flatMap(({ tenantId, id }) => [tenantBytes(tenantId), idToBytes(id)]);

export async function insertQueue(tx: Statements, { tenantId, id }: ReceiverAddress): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    'INSERT INTO webhook_queues (tenant_id, webhook_id, paused_until, is_slow, leased_until) VALUES (:tenant, ?, 0, 0, 0)',
    [idToBytes(id)],
  );
}

/** Inserts the queues of receivers that have none yet. */
export async function insertMissingQueues(
  { engine }: Pick<Database, 'engine'>,
  tx: Statements,
  receivers: readonly ReceiverAddress[],
): Promise<void> {
  if (receivers.length === 0) return;
  await tx.execute(
    `INSERT ${engine === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO webhook_queues
        (tenant_id, webhook_id, paused_until, is_slow, leased_until)
      VALUES ${receivers.map(() => '(?, ?, 0, 0, 0)').join(', ')}`,
    keysOf(receivers),
  );
}

export async function deleteQueue(tx: Statements, { tenantId, id }: ReceiverAddress): Promise<void> {
  await tenantScope(tx, tenantId).execute(`DELETE FROM webhook_queues ${ADDRESSED}`, [idToBytes(id)]);
}

/**
 * Makes queues due that get new deliveries. A pause stays. Returns those that exist: a receiver can have been deleted meanwhile. From now
 * on, its deletion waits for the transaction. It always changes the row: a cluster finds conflicts only between rows that were written, and
 * a release on another node has not seen these deliveries.
 */
export async function wakeQueues(
  tx: Statements,
  { engine }: Pick<Database, 'engine'>,
  queues: readonly ReceiverAddress[],
  now: number,
): Promise<readonly ReceiverAddress[]> {
  if (queues.length === 0) return [];
  // One millisecond less, so that also a row that is due already changes.
  const pairs = pairsIn(engine, 'tenant_id, webhook_id', queues.length);
  const woken = await tx.execute(
    `UPDATE webhook_queues SET due_at =
        CASE WHEN due_at <= ? OR due_at <= paused_until THEN due_at WHEN paused_until > ? THEN paused_until ELSE ? END - 1
      WHERE ${pairs}`,
    [now, now, now, ...keysOf(queues)],
  );
  if (woken === queues.length) return queues;
  const rows = await tx.query(`SELECT ${COLUMNS} FROM webhook_queues WHERE ${pairs}`, keysOf(queues));
  return rows.map(toQueue);
}

/** Makes a queue due at once, without a pause. */
export async function resumeQueue(tx: Statements, { tenantId, id }: ReceiverAddress, now: number): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    `UPDATE webhook_queues SET due_at = ?, paused_until = 0, failures = 0 ${ADDRESSED}`,
    [now, idToBytes(id)],
  );
}

/** Leases due queues: at most `fast` ones, and `slow` ones whose receivers fail or respond slowly. The longest due come first. */
export async function leaseQueues(
  database: Database,
  { holder, now, until }: { readonly holder: string; readonly now: number; readonly until: number },
  limits: { readonly fast: number; readonly slow: number },
): Promise<readonly LeasedQueue[]> {
  const due = [
    ...(await selectDue(database, 0, limits.fast, now)),
    ...(await selectDue(database, 1, limits.slow, now)),
  ];
  if (due.length === 0) return [];
  const pairs = pairsIn(database.engine, 'tenant_id, webhook_id', due.length);
  const holderId = idToBytes(holder);
  // Another process that has leased one meanwhile keeps it.
  await database.execute(
    `UPDATE webhook_queues SET holder_id = ?, leased_until = ? WHERE ${pairs} AND due_at <= ? AND leased_until <= ?`,
    [holderId, until, ...keysOf(due), now, now],
  );
  const rows = await database.query(
    `SELECT ${COLUMNS} FROM webhook_queues WHERE ${pairs} AND holder_id = ? AND leased_until = ?`,
    [...keysOf(due), holderId, until],
  );
  return rows.map(toQueue);
}

const COLUMNS = 'CAST(tenant_id AS CHAR) AS tenant_id, webhook_id, failures, is_slow';

async function selectDue(database: Database, isSlow: 0 | 1, limit: number, now: number): Promise<LeasedQueue[]> {
  if (limit === 0) return [];
  const rows = await database.query(
    `SELECT ${COLUMNS} FROM ${useIndex(database, 'webhook_queues', 'q', ['is_slow', 'due_at'])}
      WHERE ${OF_ALL_TENANTS} AND is_slow = ? AND due_at <= ? AND leased_until <= ? ORDER BY due_at LIMIT ${limit}`,
    [isSlow, now, now],
  );
  return rows.map(toQueue);
}

function toQueue(row: Row): LeasedQueue {
  return {
    tenantId: (row['tenant_id'] as string) || undefined,
    id: bytesToId(row['webhook_id'] as Uint8Array),
    failures: row['failures'] as number,
    isSlow: row['is_slow'] === 1,
  };
}

/**
 * Ends the lease of a queue and stores its state. Locks the queue, so that new deliveries wait until it is scheduled. Returns false if
 * another process holds it, or it was deleted.
 */
export async function releaseQueue(
  tx: Statements,
  holder: string,
  { tenantId, id }: ReceiverAddress,
  { failures, isSlow, pausedUntil, ...times }: QueueState,
): Promise<boolean> {
  const [succeededAt, failedAt] = [times.succeededAt ?? null, times.failedAt ?? null];
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE webhook_queues SET holder_id = NULL, leased_until = 0, due_at = NULL, failures = ?, is_slow = ?, paused_until = ?,
        last_success_at = COALESCE(?, last_success_at),
        failing_since = CASE WHEN ? IS NULL THEN COALESCE(failing_since, ?) ELSE ? END,
        failure_told_at = CASE WHEN ? IS NULL THEN failure_told_at END ${ADDRESSED} AND holder_id = ?`,
    [
      failures,
      isSlow ? 1 : 0,
      pausedUntil,
      succeededAt,
      succeededAt,
      failedAt,
      failedAt,
      succeededAt,
      idToBytes(id),
      idToBytes(holder),
    ],
  );
  return changed > 0;
}

/** Notes that administrators are told of the failures of a receiver. Returns false if they were, or if it does not fail any more. */
export async function markFailureTold(
  tx: Statements,
  { tenantId, id }: ReceiverAddress,
  now: number,
): Promise<boolean> {
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE webhook_queues SET failure_told_at = ? ${ADDRESSED} AND failing_since IS NOT NULL AND failure_told_at IS NULL`,
    [now, idToBytes(id)],
  );
  return changed > 0;
}

/** Sets when a released queue is due, in the same transaction. */
export async function scheduleQueue(tx: Statements, { tenantId, id }: ReceiverAddress, dueAt: number): Promise<void> {
  await tenantScope(tx, tenantId).execute(`UPDATE webhook_queues SET due_at = ? ${ADDRESSED}`, [dueAt, idToBytes(id)]);
}

export async function readQueueStats(database: Database, now: number): Promise<QueueStats> {
  const [failing] = await database.query<{ total: number }>(
    `SELECT COUNT(*) AS total FROM webhook_queues WHERE ${OF_ALL_TENANTS} AND is_slow = 1 AND failures > 0 AND due_at IS NOT NULL`,
  );
  const [oldest] = await database.query<{ due_at: number | null }>(
    `SELECT MIN(due_at) AS due_at FROM webhook_queues
      WHERE ${OF_ALL_TENANTS} AND is_slow = 0 AND due_at <= ? AND leased_until <= ?`,
    [now, now],
  );
  return { failing: failing!.total, oldestDueAt: oldest?.due_at ?? undefined };
}

/** Counts the deliveries of an event that wait, up to a limit: receivers that fail can let many wait. */
export async function countWaiting(database: Database, event: string, limit: number): Promise<number> {
  const [row] = await database.query<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (
       SELECT 1 AS one FROM webhook_queues q JOIN ${useIndex(database, 'webhook_deliveries', 'd', BY_NEXT)}
           ON d.tenant_id = q.tenant_id AND d.webhook_id = q.webhook_id AND d.next_at > 0
         WHERE ${OF_ALL_TENANTS} AND q.due_at > 0 AND d.event = ? LIMIT ${limit}) waiting`,
    [event],
  );
  return row!.total;
}
