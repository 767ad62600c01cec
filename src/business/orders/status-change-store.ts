// The order_status_changes table: the status history of orders.
import { idToBytes } from '../../platform/db/ids.ts';
import type { Page } from '../../platform/db/query/page.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { queryWithTotal } from '../../platform/db/query/total.ts';
import type { Row, Statements } from '../../platform/db/types.ts';
import { STATUS_CHANGE, type Order, type StatusChange } from './order.ts';

const COLUMNS = STATUS_CHANGE.select('c');
const INSERT = `INSERT INTO order_status_changes (order_id, version, ${STATUS_CHANGE.names})
  VALUES (?, ?, ${STATUS_CHANGE.placeholders})`;

/** Stores a status transition of an order. The order's version must be the one after the transition. */
export async function insertStatusChange(
  tx: Statements,
  { id, tenantId, version }: Pick<Order, 'tenantId' | 'id' | 'version'>,
  change: Omit<StatusChange, 'tenantId'>,
): Promise<void> {
  const values = STATUS_CHANGE.insertValues({ ...change, tenantId });
  await tenantScope(tx, tenantId).execute(INSERT, [idToBytes(id), version, ...values]);
}

/** Returns an order's changes, oldest first. Sorted by version, because clocks of several cores may differ. */
export async function selectStatusChanges(
  db: Statements,
  { tenantId, id }: Pick<Order, 'tenantId' | 'id'>,
  { perPage, offset }: Pick<Page, 'perPage' | 'offset'>,
): Promise<{ readonly items: readonly StatusChange[]; readonly total: number }> {
  const from = 'FROM order_status_changes c WHERE c.tenant_id = :tenant AND c.order_id = ?';
  const order = idToBytes(id);
  return queryWithTotal(
    tenantScope(db, tenantId),
    {
      columns: COLUMNS,
      from: `${from} ORDER BY c.version LIMIT ? OFFSET ?`,
      values: [order, perPage, offset],
      offset,
      read: (row: Row) => STATUS_CHANGE.read(row, tenantId),
    },
    { sql: `SELECT COUNT(*) ${from}`, values: [order] },
  );
}
