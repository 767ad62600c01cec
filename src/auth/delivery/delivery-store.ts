// The webhook_deliveries table. `delivery-list-store.ts` reads it for administrators.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { useIndex } from '../../platform/db/query/hints.ts';
import { tenantBytes, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Row, Statements } from '../../platform/db/types.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';
import { BY_STATUS, type Delivery } from './delivery-list-store.ts';
import type { ReceiverAddress } from './queue-store.ts';

/** A delivery to insert. */
export interface NewDelivery extends Pick<Delivery, 'id' | 'event' | 'createdAt'> {
  readonly receiver: ReceiverAddress;
  /** Its place in the order of deliveries. */
  readonly sequence: number;
  /** The audit record that is sent, or the content instead of it. */
  readonly content: { readonly tenantId: string | undefined; readonly recordId: string } | { readonly payload: string };
}

/** A delivery that is due, and what it sends. */
export interface DueDelivery extends Pick<Delivery, 'id' | 'event' | 'attempts' | 'createdAt' | 'recordId'> {
  /** The tenant of the audit record. */
  readonly recordTenant: string | undefined;
  /** Its place in the order of deliveries. */
  readonly sequence: number;
  readonly payload: string | undefined;
  /** Whether attempts of it are kept. */
  readonly hasLog: boolean;
}

/** The outcome of an attempt. */
export interface FinishedAttempt extends Pick<Delivery, 'status' | 'nextAt' | 'responseStatus' | 'error'> {
  readonly attemptAt: number;
  /** Undefined keeps it. */
  readonly expiresAt: number | undefined;
}

/** Deliveries that were not successful are kept so long, also if their receiver was deleted. */
export const KEPT_MS = 30 * 86_400_000;
/** Successful deliveries are kept so long. */
export const KEPT_DELIVERED_MS = 86_400_000;

export const DELIVERIES_CLEANUP: CleanupTarget = {
  table: 'webhook_deliveries',
  key: ['tenant_id', 'webhook_id', 'id'],
  expiresAt: ['expires_at'],
};

const BY_NEXT = ['tenant_id', 'webhook_id', 'next_at', 'sequence'] as const;
const ADDRESSED = 'WHERE tenant_id = :tenant AND webhook_id = ? AND id = ?';
/** Rows per statement. */
const CHUNK_SIZE = 50;

export async function insertDeliveries(tx: Statements, deliveries: readonly NewDelivery[]): Promise<void> {
  for (let start = 0; start < deliveries.length; start += CHUNK_SIZE) {
    const chunk = deliveries.slice(start, start + CHUNK_SIZE);
    const places = chunk.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, 'PENDING', ?, ?, ?)").join(', ');
    await tx.execute(
      `INSERT INTO webhook_deliveries (tenant_id, webhook_id, id, sequence, event, record_tenant, record_id, payload, status,
          created_at, next_at, expires_at) VALUES ${places}`,
      chunk.flatMap(({ receiver, id, sequence, event, content, createdAt }) => [
        tenantBytes(receiver.tenantId),
        idToBytes(receiver.id),
        idToBytes(id),
        sequence,
        event,
        tenantBytes('recordId' in content ? content.tenantId : undefined),
        'recordId' in content ? idToBytes(content.recordId) : null,
        'payload' in content ? content.payload : null,
        createdAt,
        createdAt,
        createdAt + KEPT_MS,
      ]),
    );
  }
}

/** Returns the due deliveries of a receiver, in the order in which they became due. */
export async function selectDueDeliveries(
  database: Database,
  receiver: ReceiverAddress,
  now: number,
  limit: number,
): Promise<DueDelivery[]> {
  const rows = await tenantScope(database, receiver.tenantId).query(
    `SELECT ${DUE_COLUMNS} FROM ${useIndex(database, 'webhook_deliveries', 'd', BY_NEXT)}
      WHERE d.tenant_id = :tenant AND d.webhook_id = ? AND d.next_at <= ? ORDER BY d.next_at, d.sequence LIMIT ${limit}`,
    [idToBytes(receiver.id), now],
  );
  return rows.map(toDue);
}

const DUE_COLUMNS = `${hexOf('d.id')} AS id, d.event AS event, CAST(d.record_tenant AS CHAR) AS record_tenant,
  ${hexOf('d.record_id')} AS record_id, d.payload AS payload, d.attempts AS attempts, d.created_at AS created_at,
  d.sequence AS sequence, d.attempts_log IS NOT NULL AS has_log`;

function toDue(row: Row): DueDelivery {
  return {
    id: hexToId(row['id'] as string),
    event: row['event'] as string,
    recordTenant: (row['record_tenant'] as string) || undefined,
    recordId: row['record_id'] ? hexToId(row['record_id'] as string) : undefined,
    payload: (row['payload'] as string | null) ?? undefined,
    attempts: row['attempts'] as number,
    createdAt: row['created_at'] as number,
    sequence: row['sequence'] as number,
    hasLog: row['has_log'] === 1,
  };
}

/** Returns what a delivery sends, whatever its status is. */
export async function findContent(
  db: Statements,
  receiver: ReceiverAddress,
  id: string,
): Promise<DueDelivery | undefined> {
  const [row] = await tenantScope(db, receiver.tenantId).query(
    `SELECT ${DUE_COLUMNS} FROM webhook_deliveries d WHERE d.tenant_id = :tenant AND d.webhook_id = ? AND d.id = ?`,
    [idToBytes(receiver.id), idToBytes(id)],
  );
  return row && toDue(row);
}

/** Stores an attempt, unless the delivery was retried or finished meanwhile. */
export async function storeAttempt(
  tx: Statements,
  receiver: ReceiverAddress,
  { id, attempts }: Pick<Delivery, 'id' | 'attempts'>,
  {
    status,
    nextAt,
    responseStatus,
    error,
    attemptAt,
    expiresAt,
    log,
  }: FinishedAttempt & { readonly log: string | undefined },
): Promise<void> {
  await tenantScope(tx, receiver.tenantId).execute(
    `UPDATE webhook_deliveries SET status = ?, attempts = attempts + 1, attempt_at = ?, next_at = ?, response_status = ?, error = ?,
        expires_at = COALESCE(?, expires_at), attempts_log = COALESCE(?, attempts_log) ${ADDRESSED} AND attempts = ? AND status = 'PENDING'`,
    [
      status,
      attemptAt,
      nextAt ?? null,
      responseStatus ?? null,
      error?.slice(0, 200) ?? null,
      expiresAt ?? null,
      log ?? null,
      idToBytes(receiver.id),
      idToBytes(id),
      attempts,
    ],
  );
}

/** Deletes a delivery whose audit record does not exist any more. */
export async function deleteDelivery(tx: Statements, receiver: ReceiverAddress, id: string): Promise<void> {
  await tenantScope(tx, receiver.tenantId).execute(`DELETE FROM webhook_deliveries ${ADDRESSED}`, [
    idToBytes(receiver.id),
    idToBytes(id),
  ]);
}

/** Deletes up to `limit` finished deliveries of receivers of a tenant whose payload contains a text. Returns their number. */
export async function deleteFinished(
  database: Database,
  tenantId: string | undefined,
  { event, payloadPart, limit }: { readonly event: string; readonly payloadPart: string; readonly limit: number },
): Promise<number> {
  const scope = tenantScope(database, tenantId);
  const rows = await scope.query<{ webhook_id: Uint8Array; id: Uint8Array }>(
    `SELECT webhook_id, id FROM webhook_deliveries
      WHERE tenant_id = :tenant AND status <> 'PENDING' AND event = ? AND INSTR(payload, ?) > 0 LIMIT ${limit}`,
    [event, payloadPart],
  );
  for (const { webhook_id: receiver, id } of rows)
    await scope.execute(`DELETE FROM webhook_deliveries ${ADDRESSED}`, [receiver, id]);
  return rows.length;
}

/** Forgets up to `limit` kept attempts to send records about an account, or that it has caused, to receivers of a tenant. Returns their number. */
export async function forgetAttempts(
  database: Database,
  tenantId: string | undefined,
  { accountId, limit }: { readonly accountId: string; readonly limit: number },
): Promise<number> {
  const scope = tenantScope(database, tenantId);
  const account = idToBytes(accountId);
  const rows = await scope.query<{ webhook_id: Uint8Array; id: Uint8Array }>(
    `SELECT d.webhook_id AS webhook_id, d.id AS id FROM webhook_deliveries d
       JOIN audit_records r ON r.tenant_id = d.record_tenant AND r.id = d.record_id
      WHERE d.tenant_id = :tenant AND d.attempts_log IS NOT NULL AND (r.account_id = ? OR r.actor_id = ?) LIMIT ${limit}`,
    [account, account],
  );
  for (const { webhook_id: receiver, id } of rows)
    await scope.execute(`UPDATE webhook_deliveries SET attempts_log = NULL ${ADDRESSED}`, [receiver, id]);
  return rows.length;
}

/** Makes a delivery wait for its first attempt again. */
export async function restartDelivery(
  tx: Statements,
  receiver: ReceiverAddress,
  id: string,
  now: number,
): Promise<void> {
  await tenantScope(tx, receiver.tenantId).execute(
    `UPDATE webhook_deliveries SET status = 'PENDING', attempts = 0, next_at = ?, expires_at = ? ${ADDRESSED}`,
    [now, now + KEPT_MS, idToBytes(receiver.id), idToBytes(id)],
  );
}

/**
 * Makes up to `limit` deliveries wait for their first attempt again that have failed, or wait after a failed attempt, and were created
 * since a time. Returns whether there are more, and the number of those that wait again.
 */
export async function restartFailed(
  tx: Statements,
  database: Pick<Database, 'engine'>,
  receiver: ReceiverAddress,
  { since, now, limit }: { readonly since: number; readonly now: number; readonly limit: number },
): Promise<{ readonly count: number; readonly hasMore: boolean }> {
  const scope = tenantScope(tx, receiver.tenantId);
  const ids: Uint8Array[] = [];
  for (const status of ["'FAILED'", "'PENDING' AND d.attempts > 0"]) {
    const rows = await scope.query<{ id: Uint8Array }>(
      `SELECT d.id AS id FROM ${useIndex(database, 'webhook_deliveries', 'd', BY_STATUS)}
        WHERE d.tenant_id = :tenant AND d.webhook_id = ? AND d.status = ${status} AND d.created_at >= ?
        ORDER BY d.id LIMIT ${limit + 1 - ids.length}`,
      [idToBytes(receiver.id), since],
    );
    ids.push(...rows.map(({ id }) => id));
  }
  const restarted = ids.slice(0, limit);
  for (let start = 0; start < restarted.length; start += CHUNK_SIZE) {
    const chunk = restarted.slice(start, start + CHUNK_SIZE);
    await scope.execute(
      `UPDATE webhook_deliveries SET status = 'PENDING', attempts = 0, next_at = ?, expires_at = ?
        WHERE tenant_id = :tenant AND webhook_id = ? AND id IN (${chunk.map(() => '?').join(', ')})`,
      [now, now + KEPT_MS, idToBytes(receiver.id), ...chunk],
    );
  }
  return { count: restarted.length, hasMore: ids.length > limit };
}

/** Returns when the next delivery of a receiver is due; undefined if none waits. */
export async function nextDueAt(
  tx: Statements,
  engine: Pick<Database, 'engine'>,
  receiver: ReceiverAddress,
): Promise<number | undefined> {
  const [row] = await tenantScope(tx, receiver.tenantId).query<{ next_at: number }>(
    `SELECT d.next_at AS next_at FROM ${useIndex(engine, 'webhook_deliveries', 'd', BY_NEXT)}
      WHERE d.tenant_id = :tenant AND d.webhook_id = ? AND d.next_at > 0 ORDER BY d.next_at LIMIT 1`,
    [idToBytes(receiver.id)],
  );
  return row?.next_at;
}

/**
 * Ends up to `limit` deliveries that have waited since a time or longer. `expires_at` tells since when: those that are sent again begin
 * anew. Returns their number.
 */
export async function giveUpDeliveries(
  tx: Statements,
  database: Pick<Database, 'engine'>,
  receiver: ReceiverAddress,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<number> {
  const rows = await tenantScope(tx, receiver.tenantId).query<{ id: Uint8Array }>(
    `SELECT d.id AS id FROM ${useIndex(database, 'webhook_deliveries', 'd', BY_NEXT)}
      WHERE d.tenant_id = :tenant AND d.webhook_id = ? AND d.next_at > 0 AND d.expires_at <= ? LIMIT ${limit}`,
    [idToBytes(receiver.id), since + KEPT_MS],
  );
  if (rows.length === 0) return 0;
  return tenantScope(tx, receiver.tenantId).execute(
    `UPDATE webhook_deliveries SET status = 'FAILED', next_at = NULL
      WHERE tenant_id = :tenant AND webhook_id = ? AND id IN (${rows.map(() => '?').join(', ')}) AND status = 'PENDING'`,
    [idToBytes(receiver.id), ...rows.map(({ id }) => id)],
  );
}

/** Whether more than `limit` deliveries of a receiver wait. */
export async function hasBacklog(database: Database, receiver: ReceiverAddress, limit: number): Promise<boolean> {
  const rows = await tenantScope(database, receiver.tenantId).query(
    `SELECT 1 AS one FROM ${useIndex(database, 'webhook_deliveries', 'd', BY_NEXT)}
      WHERE d.tenant_id = :tenant AND d.webhook_id = ? AND d.next_at > 0 LIMIT 1 OFFSET ${limit}`,
    [idToBytes(receiver.id)],
  );
  return rows.length > 0;
}
