// The order_status_changes table: which statuses an order has had.
import { bytesToId, idToBytes, newId } from '../../db/ids.ts';
import { tenantScope } from '../../db/tenant-scope.ts';
import type { Statements } from '../../db/types.ts';
import type { Page } from '../../paging.ts';
import type { Order } from './order.ts';
import type { OrderStatus } from './order-status.ts';

/** A move of an order. */
export interface StatusChange {
  /** Undefined at the creation. */
  readonly from: OrderStatus | undefined;
  readonly to: OrderStatus;
  /** Unix milliseconds. */
  readonly at: number;
  /** Account id of who moved it. */
  readonly by: string;
  readonly note: string | undefined;
}

type OrderAddress = Pick<Order, 'tenantId' | 'id'>;

interface ChangeRow {
  from_status: OrderStatus | null;
  to_status: OrderStatus;
  at: number;
  by_id: Uint8Array;
  note: string | null;
}

export async function insertStatusChange(
  tx: Statements,
  { tenantId, id }: OrderAddress,
  { from, to, at, by, note }: StatusChange,
): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    `INSERT INTO order_status_changes (tenant_id, order_id, id, from_status, to_status, at, by_id, note)
     VALUES (:tenant, ?, ?, ?, ?, ?, ?, ?)`,
    [idToBytes(id), idToBytes(newId()), from ?? null, to, at, idToBytes(by), note ?? null],
  );
}

/** An order's changes, oldest first: their ids ascend with time. */
export async function selectStatusChanges(
  db: Statements,
  { tenantId, id }: OrderAddress,
  { perPage, offset }: Pick<Page, 'perPage' | 'offset'>,
): Promise<{ readonly changes: readonly StatusChange[]; readonly total: number }> {
  const scope = tenantScope(db, tenantId);
  const order = [idToBytes(id)];
  const [rows, [counted]] = await Promise.all([
    scope.query<ChangeRow>(
      `SELECT from_status, to_status, at, by_id, note FROM order_status_changes
        WHERE tenant_id = :tenant AND order_id = ? ORDER BY id LIMIT ${perPage} OFFSET ${offset}`,
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
