// Statistics of a tenant's records, read from indexes. docs/decisions/archive/measurements.md gives their cost.
import { tenantReads } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Reader } from '../../platform/db/types.ts';
import type { Period } from './utc-calendar.ts';

interface OrderStatistics {
  /** Orders placed in the period. */
  readonly orders: number;
  /** The total of the uncancelled orders in the currency, in hundredths, at most 2^53 - 1. */
  readonly revenue: number;
}

/** Returns the statistics of orders placed in a period. */
export async function readOrderStatistics(
  db: Pick<Database, 'queryLong'>,
  tenantId: string,
  { from, until }: Period,
  currency: string,
  reader: Reader,
): Promise<OrderStatistics> {
  // The sum is a float: SQLite rejects integer sums beyond 2^63, and its driver those beyond 2^53.
  const [row] = await tenantReads(db, tenantId, reader).query<{ orders: number; revenue: number | null }>(
    `SELECT COUNT(*) AS orders,
            SUM(CASE WHEN currency = ? AND status <> 'CANCELLED' THEN total * 1.0 ELSE 0 END) AS revenue
       FROM orders WHERE tenant_id = :tenant AND created_at >= ? AND created_at < ?`,
    [currency, from, until],
  );
  return { orders: row!.orders, revenue: Math.min(row!.revenue ?? 0, Number.MAX_SAFE_INTEGER) };
}

/** Returns the number of customers added in a period, without those deleted since. */
export async function countNewCustomers(
  db: Pick<Database, 'queryLong'>,
  tenantId: string,
  { from, until }: Period,
  reader: Reader,
): Promise<number> {
  const [row] = await tenantReads(db, tenantId, reader).query<{ total: number }>(
    'SELECT COUNT(*) AS total FROM customers WHERE tenant_id = :tenant AND created_at >= ? AND created_at < ?',
    [from, until],
  );
  return row!.total;
}
