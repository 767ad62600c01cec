// The customers table.
import { given } from '../../platform/db/query/condition.ts';
import type { Page } from '../../platform/db/query/page.ts';
import { containing } from '../../platform/db/query/search-text.ts';
import { queryTenantPage, type Sort } from '../../platform/db/query/tenant-page-query.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { countOf } from '../counter-store.ts';
import { createRecordStore } from '../record-store.ts';
import type { SortColumns } from '../sort.ts';
import { CUSTOMER, emailKey, phoneDigits, type Customer, type CustomerStatus } from './customer.ts';

export const CUSTOMERS = createRecordStore(CUSTOMER);

const COLUMNS = CUSTOMER.select('p');

/** E-mail addresses are sorted case-insensitively. Customers without one come first. */
export const CUSTOMER_SORT_COLUMNS: SortColumns = { email: 'email_key' };

interface CustomerFilter {
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
      columns: COLUMNS,
      tenantId,
      matching: [...given(status, 'status = ?'), ...containing(query)],
      sort,
      read: CUSTOMER.read,
      total: query === undefined ? countOf('customers', status) : undefined,
    },
    page,
  );
}

// Each branch uses its own index. With OR, both engines would read all customers in the order of creation. SQLite would
// do so for ORDER BY created_at too: `+ 0` keeps it from using that index. A comparison with NULL finds no row.
const DUPLICATES = `SELECT * FROM (
   SELECT ${COLUMNS} FROM customers p WHERE p.tenant_id = :tenant AND p.email_key = ?
    UNION ALL SELECT ${COLUMNS} FROM customers p
    WHERE p.tenant_id = :tenant AND p.phone_digits = ? AND COALESCE(p.email_key = ?, 0) = 0) AS found
  ORDER BY created_at + 0, id LIMIT ?`;

/** Returns customers with this e-mail address or these digits in their telephone number, oldest first. */
export async function findDuplicates(
  db: Statements,
  tenantId: string,
  { email, phone }: { readonly email: string | undefined; readonly phone: string | undefined },
  maximum: number,
): Promise<Customer[]> {
  const key = email === undefined ? null : emailKey(email);
  const digits = phone === undefined ? null : Buffer.from(phoneDigits(phone));
  const rows = await tenantScope(db, tenantId).query(DUPLICATES, [key, digits, key, maximum]);
  return rows.map((row) => CUSTOMER.read(row, tenantId));
}
