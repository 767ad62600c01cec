// Products whose stock is low.
import { hexOf, hexToId } from '../../platform/db/ids.ts';
import { queryTenantPage } from '../../platform/db/query/tenant-page-query.ts';
import { tenantReads } from '../../platform/db/query/tenant-scope.ts';
import type { Page } from '../../platform/db/query/page.ts';
import type { Database, Reader } from '../../platform/db/types.ts';

export interface InventoryAlert {
  readonly productId: string;
  readonly sku: string;
  readonly name: string;
  /** Units in stock. */
  readonly stock: number;
  readonly reorderLevel: number;
}

interface AlertRow {
  id: string;
  sku: string;
  name: string;
  stock: number;
  reorder_level: number;
}

/** SQL condition: a product's stock is low and the product is not ARCHIVED. */
export const IS_LOW = "low_stock = 1 AND status <> 'ARCHIVED'";

/** Returns the number of products with a low stock. ARCHIVED products are left out. */
export async function countInventoryAlerts(
  db: Pick<Database, 'queryLong'>,
  tenantId: string,
  reader: Reader,
): Promise<number> {
  const [row] = await tenantReads(db, tenantId, reader).query<{ total: number }>(
    `SELECT COUNT(*) AS total FROM products WHERE tenant_id = :tenant AND ${IS_LOW}`,
  );
  return row!.total;
}

/** Returns a page of these products, lowest stock first, and their number. */
export async function selectInventoryAlerts(
  database: Database,
  tenantId: string,
  page: Pick<Page, 'perPage' | 'offset' | 'reader'>,
): Promise<{ readonly items: readonly InventoryAlert[]; readonly total: number }> {
  return queryTenantPage<AlertRow, InventoryAlert>(
    database,
    {
      table: 'products',
      columns: `${hexOf('p.id')} AS id, CAST(p.sku AS CHAR) AS sku, name, stock, reorder_level`,
      tenantId,
      matching: [{ sql: IS_LOW, values: [] }],
      sort: [{ column: 'stock', descending: false }],
      indexed: ['stock'],
      read: alertOf,
    },
    page,
  );
}

function alertOf(row: AlertRow): InventoryAlert {
  return {
    productId: hexToId(row.id),
    sku: row.sku,
    name: row.name,
    stock: row.stock,
    reorderLevel: row.reorder_level,
  };
}
