// The order_status_changes table: the status history of orders.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { queryWithTotal } from '../../platform/db/query/total.ts';
import type { Statements } from '../../platform/db/types.ts';
import type { Page } from '../../platform/db/query/page.ts';
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
  by_id: string;
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
  const from = 'FROM order_status_changes WHERE tenant_id = :tenant AND order_id = ?';
  const order = idToBytes(id);
  const { items, total } = await queryWithTotal(
    tenantScope(db, tenantId),
    {
      columns: `from_status, to_status, at, ${hexOf('by_id')} AS by_id, note`,
      from: `${from} ORDER BY version LIMIT ? OFFSET ?`,
      values: [order, perPage, offset],
      offset,
      read: changeOf,
    },
    { sql: `SELECT COUNT(*) ${from}`, values: [order] },
  );
  return { changes: items, total };
}

function changeOf(row: ChangeRow): StatusChange {
  return {
    from: row.from_status ?? undefined,
    to: row.to_status,
    at: row.at,
    by: hexToId(row.by_id),
    note: row.note ?? undefined,
  };
}
