// Inserts orders in bulk. The rows and counters equal those that the service would write, with 1,000 rows per statement.
import { idToBytes, newId } from '../src/platform/db/ids.ts';
import { searchText } from '../src/platform/db/query/search-text.ts';
import type { Database, SqlValue } from '../src/platform/db/types.ts';
import { ORDER_STATUSES, type OrderStatus } from '../src/business/orders/order-status.ts';

const ROWS_PER_STATEMENT = 1_000;
const DAY_MS = 24 * 3_600_000;
const YEAR_MS = 365 * DAY_MS;

/** Orders by status, in percent. In a long-running shop, most orders are completed. */
const SHARES: Readonly<Record<OrderStatus, number>> = {
  NEW: 1,
  CONFIRMED: 1,
  IN_PRODUCTION: 1,
  READY: 1,
  OUT_FOR_DELIVERY: 1,
  DELIVERED: 5,
  COMPLETED: 82,
  CANCELLED: 8,
};
const STATUS_OF = ORDER_STATUSES.flatMap((status) => Array<OrderStatus>(SHARES[status]).fill(status));

/** Inserts `count` orders of one tenant, evenly distributed over the year before `now`. */
export async function seedOrders(database: Database, tenantId: string, count: number, now: number): Promise<void> {
  const tenant = Buffer.from(tenantId);
  const customers = Array.from({ length: Math.max(1, Math.ceil(count / 50)) }, () => idToBytes(newId()));
  const product = idToBytes(newId());
  const counts = new Map<string, number>([['order-number', count]]);
  for (let first = 0; first < count; first += ROWS_PER_STATEMENT) {
    const orders: SqlValue[][] = [];
    const items: SqlValue[][] = [];
    for (let index = first; index < Math.min(first + ROWS_PER_STATEMENT, count); index += 1) {
      const id = idToBytes(newId());
      const number = index + 1;
      const at = Math.floor(now - YEAR_MS + (YEAR_MS * number) / count);
      // 37 and 100 have no common divisor, so the statuses are mixed and their shares exact.
      const status = STATUS_OF[(index * 37) % 100]!;
      const total = 1_000 + ((index * 7_919) % 20_000);
      const day = new Date(at + 2 * DAY_MS).toISOString().slice(0, 10);
      const address = `${(index % 200) + 1} High Street`;
      const customer = customers[index % customers.length]!;
      counts.set(`orders:${status}`, (counts.get(`orders:${status}`) ?? 0) + 1);
      const text = searchText(String(number), address);
      orders.push([tenant, id, number, customer, total, 'EUR', status, 'CARD', day, address, null, at, at, 1, text]);
      items.push([tenant, id, 0, product, 'Roses', 1, total]);
    }
    await insertRows(database, 'orders', ORDER_COLUMNS, orders);
    await insertRows(database, 'order_items', ITEM_COLUMNS, items);
  }
  const values = [...counts].map(([name, value]) => [tenant, Buffer.from(name), value]);
  await insertRows(database, 'tenant_counters', ['tenant_id', 'name', 'value'], values);
}

const ORDER_COLUMNS = [
  'tenant_id',
  'id',
  'number',
  'customer_id',
  'total',
  'currency',
  'status',
  'payment_method',
  'delivery_date',
  'delivery_address',
  'note',
  'created_at',
  'updated_at',
  'version',
  'search_text',
];
const ITEM_COLUMNS = ['tenant_id', 'order_id', 'position', 'product_id', 'name', 'quantity', 'unit_price'];

async function insertRows(
  database: Database,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const row = `(${columns.map(() => '?').join(', ')})`;
  await database.execute(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => row).join(', ')}`,
    rows.flat(),
  );
}
