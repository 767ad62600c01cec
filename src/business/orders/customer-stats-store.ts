// Statistics of customers' purchases. order-store.ts writes the orders.
import { idToBytes } from '../../platform/db/ids.ts';
import { tenantReads } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Reader } from '../../platform/db/types.ts';

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
  tenantId: string,
  customerId: string,
  reader: Reader,
): Promise<readonly CurrencyStats[]> {
  // Not added as integers: SQLite refuses sums beyond 2^63, and its driver sums beyond 2^53.
  const rows = await tenantReads(db, tenantId, reader).query<CurrencyStats>(
    `SELECT currency, COUNT(*) AS orderCount, SUM(total * 1.0) AS total,
            MIN(created_at) AS firstOrderAt, MAX(created_at) AS lastOrderAt
       FROM orders WHERE tenant_id = :tenant AND customer_id = ? AND status <> 'CANCELLED' GROUP BY currency`,
    [idToBytes(customerId)],
  );
  return rows.map((row) => ({ ...row, total: Math.min(row.total, Number.MAX_SAFE_INTEGER) }));
}
