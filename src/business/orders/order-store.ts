// The tables orders and order_items. record-store.ts increases the versions.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { searchText } from '../../platform/db/query/search-text.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { SqlValue, Statements } from '../../platform/db/types.ts';
import { imagesColumn, parseImages } from '../files/image-store.ts';
import { setColumns } from '../record-store.ts';
import type { Order, OrderItem } from './order.ts';
import type { OrderStatus } from './order-status.ts';
import type { PaymentMethod } from './payment-method.ts';

/** An item and its order. */
interface ItemRow {
  position: number;
  product_id: string;
  name: string;
  quantity: number;
  unit_price: number;
  id: string;
  number: number;
  customer_id: string;
  total: number;
  currency: string;
  status: OrderStatus;
  payment_method: PaymentMethod | null;
  delivery_date: string | null;
  delivery_address: string | null;
  note: string | null;
  production_photos: string | null;
  delivery_photos: string | null;
  created_at: number;
  updated_at: number;
  version: number;
}

// Long texts and photos are sent only with the first item.
const ORDERS_WITH_ITEMS = `
  SELECT i.position, ${hexOf('i.product_id')} AS product_id, i.name, i.quantity, i.unit_price, ${hexOf('o.id')} AS id,
         o.number, ${hexOf('o.customer_id')} AS customer_id, o.total, o.currency, o.status, o.payment_method,
         o.delivery_date, o.created_at, o.updated_at, o.version,
         CASE i.position WHEN 0 THEN o.delivery_address END AS delivery_address,
         CASE i.position WHEN 0 THEN o.note END AS note,
         CASE i.position WHEN 0 THEN ${imagesColumn('order-production', 'o.id')} END AS production_photos,
         CASE i.position WHEN 0 THEN ${imagesColumn('order-delivery', 'o.id')} END AS delivery_photos
    FROM orders o JOIN order_items i ON i.tenant_id = o.tenant_id AND i.order_id = o.id`;

/** Returns the existing ones of these orders, by id. Each order, its items and its photos are from the same moment. */
export async function readOrders(
  db: Statements,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Order>> {
  const orders = new Map<string, Order & { readonly items: OrderItem[] }>();
  if (ids.length === 0) return orders;
  const rows = await tenantScope(db, tenantId).query<ItemRow>(
    `${ORDERS_WITH_ITEMS}
      WHERE o.tenant_id = :tenant AND o.id IN (${ids.map(() => '?').join(', ')}) ORDER BY i.order_id, i.position`,
    ids.map(idToBytes),
  );
  for (const row of rows) {
    const id = hexToId(row.id);
    if (row.position === 0) orders.set(id, orderOf(row, id, tenantId));
    orders.get(id)!.items.push(itemOf(row));
  }
  return orders;
}

export async function findOrder(db: Statements, tenantId: string, id: string): Promise<Order | undefined> {
  return (await readOrders(db, tenantId, [id])).get(id);
}

export async function insertOrder(tx: Statements, order: Order): Promise<void> {
  const columns = columnsOf(order);
  const names = Object.keys(columns);
  await tenantScope(tx, order.tenantId).execute(
    `INSERT INTO orders (tenant_id, id, number, created_at, updated_at, version, ${names.join(', ')})
     VALUES (:tenant, ?, ?, ?, ?, ?, ${names.map(() => '?').join(', ')})`,
    [idToBytes(order.id), order.number, order.createdAt, order.updatedAt, order.version, ...Object.values(columns)],
  );
  await insertItems(tx, order);
}

/** Sets the changeable fields of an order that this transaction has locked, except its items. */
export async function updateOrder(tx: Statements, order: Order): Promise<void> {
  await setColumns(tx, 'orders', order.tenantId, order.id, columnsOf(order));
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
    `INSERT INTO order_items (tenant_id, order_id, position, product_id, name, quantity, unit_price)
     VALUES ${items.map(() => '(:tenant, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    items.flatMap(({ productId, name, quantity, unitPrice }, position) => [
      idToBytes(id),
      position,
      idToBytes(productId),
      name,
      quantity,
      unitPrice,
    ]),
  );
}

/** Converts the row of the first item, without its item. */
function orderOf(row: ItemRow, id: string, tenantId: string): Order & { readonly items: OrderItem[] } {
  return {
    id,
    tenantId,
    number: row.number,
    customerId: hexToId(row.customer_id),
    items: [],
    total: row.total,
    currency: row.currency,
    status: row.status,
    paymentMethod: row.payment_method ?? undefined,
    deliveryDate: row.delivery_date ?? undefined,
    deliveryAddress: row.delivery_address ?? undefined,
    note: row.note ?? undefined,
    productionPhotos: parseImages(row.production_photos),
    deliveryPhotos: parseImages(row.delivery_photos),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

function itemOf({ product_id: productId, name, quantity, unit_price: unitPrice }: ItemRow): OrderItem {
  return { productId: hexToId(productId), name, quantity, unitPrice };
}

function columnsOf(order: Order): Record<string, SqlValue> {
  const { number, deliveryAddress, note } = order;
  return {
    customer_id: idToBytes(order.customerId),
    total: order.total,
    currency: order.currency,
    status: order.status,
    payment_method: order.paymentMethod ?? null,
    delivery_date: order.deliveryDate ?? null,
    delivery_address: deliveryAddress ?? null,
    note: note ?? null,
    search_text: searchText(`${number}`, deliveryAddress, note),
  };
}
