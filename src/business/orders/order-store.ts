// The tables orders and order_items.
import { idToBytes } from '../../platform/db/ids.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../platform/db/types.ts';
import { createRecordStore, type RecordStore } from '../record-store.ts';
import { ORDER, ORDER_ITEM, type Order, type OrderItem } from './order.ts';

const rows = createRecordStore(ORDER);

/** Orders with their items. An update does not change the items. */
export const ORDERS: RecordStore<Order, Order> = {
  ...rows,
  async find(db, tenantId, id) {
    return (await readOrders(db, tenantId, [id])).get(id);
  },
  async insert(tx, order) {
    await rows.insert(tx, order);
    await insertItems(tx, order);
  },
};

/** Long texts and photos, which are sent only with the first item. */
const SENT_ONCE: readonly string[] = ['deliveryAddress', 'note', 'productionPhotos', 'deliveryPhotos'];
const once = (sql: string, member: string) =>
  SENT_ONCE.includes(member) ? `CASE i.position WHEN 0 THEN ${sql} END` : sql;

const ORDERS_WITH_ITEMS = `SELECT i.position, ${ORDER_ITEM.select('i')}, ${ORDER.select('o', once)}
  FROM orders o JOIN order_items i ON i.tenant_id = o.tenant_id AND i.order_id = o.id`;

/** Returns the existing ones of these orders, by id. Each order, its items and its photos are from the same moment. */
export async function readOrders(
  db: Statements,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Order>> {
  const orders = new Map<string, Order>();
  if (ids.length === 0) return orders;
  const found = await tenantScope(db, tenantId).query(
    `${ORDERS_WITH_ITEMS}
      WHERE o.tenant_id = :tenant AND o.id IN (${ids.map(() => '?').join(', ')}) ORDER BY i.order_id, i.position`,
    ids.map(idToBytes),
  );
  let items: OrderItem[] = [];
  for (const row of found) {
    if (row['position'] === 0) {
      items = [];
      const order = { ...ORDER.read(row, tenantId), items };
      orders.set(order.id, order);
    }
    items.push(ORDER_ITEM.read(row, tenantId));
  }
  return orders;
}

/** Replaces the items of an order that this transaction has locked. */
export async function replaceItems(tx: Statements, order: Pick<Order, 'tenantId' | 'id' | 'items'>): Promise<void> {
  await tenantScope(tx, order.tenantId).execute('DELETE FROM order_items WHERE tenant_id = :tenant AND order_id = ?', [
    idToBytes(order.id),
  ]);
  await insertItems(tx, order);
}

async function insertItems(
  tx: Statements,
  { tenantId, id, items }: Pick<Order, 'tenantId' | 'id' | 'items'>,
): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    `INSERT INTO order_items (tenant_id, order_id, position, ${ORDER_ITEM.names})
     VALUES ${items.map(() => `(:tenant, ?, ?, ${ORDER_ITEM.placeholders})`).join(', ')}`,
    items.flatMap((item, position) => [idToBytes(id), position, ...ORDER_ITEM.insertValues(item)]),
  );
}
