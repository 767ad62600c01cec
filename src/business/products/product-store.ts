// The products table. stock-store.ts changes the stock for orders.
import { given } from '../../platform/db/query/condition.ts';
import type { Page } from '../../platform/db/query/page.ts';
import { containing } from '../../platform/db/query/search-text.ts';
import { queryTenantPage, type Sort } from '../../platform/db/query/tenant-page-query.ts';
import type { Database } from '../../platform/db/types.ts';
import { countOf } from '../counter-store.ts';
import { createRecordStore } from '../record-store.ts';
import { PRODUCT, type Product, type ProductStatus } from './product.ts';

/** Writes reject with DatabaseError of kind `duplicate` if the SKU is taken. */
export const PRODUCTS = createRecordStore(PRODUCT);

const COLUMNS = PRODUCT.select('p');

interface ProductFilter {
  /** Part of the SKU, the name or the category; case-insensitive. */
  readonly query: string | undefined;
  readonly status: ProductStatus | undefined;
  readonly category: string | undefined;
  readonly lowStock: boolean | undefined;
}

export async function selectProducts(
  database: Database,
  tenantId: string,
  { query, status, category, lowStock }: ProductFilter,
  sort: readonly Sort[],
  page: Page,
): Promise<{ readonly items: readonly Product[]; readonly total: number }> {
  const isCounted = query === undefined && category === undefined && lowStock === undefined;
  return queryTenantPage(
    database,
    {
      table: 'products',
      columns: COLUMNS,
      tenantId,
      matching: [
        ...given(status, 'status = ?'),
        ...given(category, 'category = ?'),
        ...given(lowStock === undefined ? undefined : Number(lowStock), 'low_stock = ?'),
        ...containing(query),
      ],
      sort,
      unique: ['sku'],
      read: PRODUCT.read,
      total: isCounted ? countOf('products', status) : undefined,
    },
    page,
  );
}
