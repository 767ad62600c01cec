// The order_status_changes table: the status history of orders.
import { bytesToId, idToBytes } from '../../db/ids.ts';
import { tenantScope } from '../../db/query/tenant-scope.ts';
import type { Statements } from '../../db/types.ts';
import type { Page } from '../../db/query/page.ts';
import type { Order } from './order.ts';
import type { OrderStatus } from './order-status.ts';

/** A status transition of an order. */
export interface StatusChange {
  /** Undefined for the creation. */
  readonly from: OrderStatus | undefined;
  readonly to: OrderStatus;
  /** Unix milliseconds. */
  readonly at: number;
  /** Account id of the account that made the change. */
  readonly by: string;
  readonly note: string | undefined;
}

interface ChangeRow {
  from_status: OrderStatus | null;
  to_status: OrderStatus;
  at: number;
  by_id: Uint8Array;
  note: string | null;
}

/** Stores a status transition of an order. The order's version must be the one after the transition. */
export async function insertStatusChange(
  tx: Statements,
  { tenantId, id, version }: Pick<Order, 'tenantId' | 'id' | 'version'>,
  { from, to, at, by, note }: StatusChange,
): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    `INSERT INTO order_status_changes (tenant_id, order_id, version, from_status, to_status, at, by_id, note)
     VALUES (:tenant, ?, ?, ?, ?, ?, ?, ?)`,
    [idToBytes(id), version, from ?? null, to, at, idToBytes(by), note ?? null],
  );
}

/** Returns an order's changes, oldest first. Sorted by version, because clocks of several cores may differ. */
export async function selectStatusChanges(
  db: Statements,
  { tenantId, id }: Pick<Order, 'tenantId' | 'id'>,
  { perPage, offset }: Pick<Page, 'perPage' | 'offset'>,
): Promise<{ readonly changes: readonly StatusChange[]; readonly total: number }> {
  const scope = tenantScope(db, tenantId);
  const order = [idToBytes(id)];
  const [rows, [counted]] = await Promise.all([
    scope.query<ChangeRow>(
      `SELECT from_status, to_status, at, by_id, note FROM order_status_changes
        WHERE tenant_id = :tenant AND order_id = ? ORDER BY version LIMIT ${perPage} OFFSET ${offset}`,
      order,
    ),
    scope.query<{ total: number }>(
      'SELECT COUNT(*) AS total FROM order_status_changes WHERE tenant_id = :tenant AND order_id = ?',
      order,
    ),
  ]);
  const changes = rows.map((row) => ({
    from: row.from_status ?? undefined,
    to: row.to_status,
    at: row.at,
    by: bytesToId(row.by_id),
    note: row.note ?? undefined,
  }));
  return { changes, total: counted!.total };
}
