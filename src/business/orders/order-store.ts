// The tables orders and order_items.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { tenantReads, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Reader, Statements } from '../../platform/db/types.ts';
import { type RecordStore, createRecordStore } from '../record-store.ts';
import { ORDER, ORDER_ITEM, type Order, type OrderItem } from './order.ts';
import { given } from '../../platform/db/query/condition.ts';
import { containing } from '../../platform/db/query/search-text.ts';
import { type Sort, queryTenantPage } from '../../platform/db/query/tenant-page-query.ts';
import type { Page } from '../../platform/db/query/page.ts';
import { countOf } from '../counter-store.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrderStatus } from './order-status.ts';

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
async function readOrders(
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
    items.push(ORDER_ITEM.read(row));
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

/** An absent field matches everything. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  readonly customerId?: string | undefined;
  /** Placed at this time or later; Unix milliseconds. */
  readonly from?: number | undefined;
  /** Placed at this time or earlier; Unix milliseconds. */
  readonly to?: number | undefined;
  /** Part of the number, the delivery address or the note; case-insensitive. */
  readonly query?: string | undefined;
}

const NEWEST_FIRST: readonly Sort[] = [{ column: 'created_at', descending: true }];

/** Returns one page of a tenant's orders and their total number. Columns to sort by are those of the table. */
export async function selectOrders(
  database: Database,
  tenantId: string,
  { status, customerId, from, to, query }: OrderFilter,
  page: Pick<Page, 'perPage' | 'offset' | 'reader'>,
  sort: readonly Sort[] = NEWEST_FIRST,
): Promise<{ readonly orders: readonly Order[]; readonly total: number }> {
  const isCounted = [customerId, from, to, query].every((restriction) => restriction === undefined);
  const { items: ids, total } = await queryTenantPage(
    database,
    {
      table: 'orders',
      columns: `${hexOf('p.id')} AS id`,
      tenantId,
      matching: [
        ...given(status, 'status = ?'),
        ...given(customerId === undefined ? undefined : idToBytes(customerId), 'customer_id = ?'),
        ...given(from, 'created_at >= ?'),
        ...given(to, 'created_at <= ?'),
        ...containing(query),
      ],
      sort,
      unique: ['number'],
      read: ({ id }: { readonly id: string }) => hexToId(id),
      total: isCounted ? countOf('orders', status) : undefined,
    },
    page,
  );
  const orders = await readOrders(database, tenantId, ids);
  // Orders deleted between the two queries are left out.
  return { orders: ids.flatMap((id) => orders.get(id) ?? []), total };
}

/** A customer's orders in one currency, without cancelled ones. */
export interface CurrencyStats {
  /** ISO 4217. */
  readonly currency: string;
  /** At least 1. */
  readonly orderCount: number;
  /** The sum of their totals in hundredths, at most 2^53 - 1. */
  readonly total: number;
  /** Unix milliseconds. */
  readonly firstOrderAt: number;
  readonly lastOrderAt: number;
}

/** Returns one entry for each currency of the customer's orders. */
export async function selectCustomerStats(
  db: Pick<Database, 'queryLong'>,
  { tenantId, id }: Pick<Customer, 'tenantId' | 'id'>,
  reader: Reader,
): Promise<readonly CurrencyStats[]> {
  // Not added as integers: SQLite refuses sums beyond 2^63, and its driver sums beyond 2^53.
  const rows = await tenantReads(db, tenantId, reader).query<CurrencyStats>(
    `SELECT currency, COUNT(*) AS orderCount, SUM(total * 1.0) AS total,
            MIN(created_at) AS firstOrderAt, MAX(created_at) AS lastOrderAt
       FROM orders WHERE tenant_id = :tenant AND customer_id = ? AND status <> 'CANCELLED' GROUP BY currency`,
    [idToBytes(id)],
  );
  return rows.map((row) => ({ ...row, total: Math.min(row.total, Number.MAX_SAFE_INTEGER) }));
}
