// Lists of customers. customer-store.ts writes their rows.
import { given } from '../../platform/db/query/condition.ts';
import { containing } from '../../platform/db/query/search-text.ts';
import { queryTenantPage, type Sort } from '../../platform/db/query/tenant-page-query.ts';
import type { Database } from '../../platform/db/types.ts';
import type { Page } from '../../platform/db/query/page.ts';
import { countOf } from '../counter-store.ts';
import type { SortColumns } from '../sort.ts';
import type { Customer, CustomerStatus } from './customer.ts';
import { CUSTOMER_COLUMNS, customerOf, type CustomerRow } from './customer-store.ts';

/** E-mail addresses are sorted case-insensitively. Customers without one come first. */
export const CUSTOMER_SORT_COLUMNS: SortColumns = { email: 'email_key' };

export interface CustomerFilter {
  /** Part of the name, the e-mail address or the telephone number; case-insensitive. */
  readonly query: string | undefined;
  readonly status: CustomerStatus | undefined;
}

export async function selectCustomers(
  database: Database,
  tenantId: string,
  { query, status }: CustomerFilter,
  sort: readonly Sort[],
  page: Page,
): Promise<{ readonly items: readonly Customer[]; readonly total: number }> {
  return queryTenantPage(
    database,
    {
      table: 'customers',
      columns: CUSTOMER_COLUMNS,
      tenantId,
      matching: [...given(status, 'status = ?'), ...containing(query)],
      sort,
      read: (row: CustomerRow) => customerOf(row, tenantId),
      total: query === undefined ? countOf('customers', status) : undefined,
    },
    page,
  );
}
