// The customers table. record-store.ts increases the versions.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { searchText } from '../../platform/db/query/search-text.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { SqlValue, Statements } from '../../platform/db/types.ts';
import { setColumns } from '../record-store.ts';
import { emailKey, phoneDigits, type Customer, type CustomerFields, type CustomerStatus } from './customer.ts';

export interface CustomerRow {
  id: string;
  name: string;
  email: string | null;
  phone: string | null;
  address: string | null;
  status: CustomerStatus;
  created_at: number;
  updated_at: number;
  version: number;
}

const COLUMNS = 'name, email, phone, address, status, created_at, updated_at, version';

/** The columns of CustomerRow. `p` is the table. */
export const CUSTOMER_COLUMNS = [`${hexOf('p.id')} AS id`, COLUMNS];

export async function insertCustomer(tx: Statements, customer: Customer): Promise<void> {
  const columns = columnsOf(customer);
  const names = Object.keys(columns);
  await tenantScope(tx, customer.tenantId).execute(
    `INSERT INTO customers (tenant_id, id, created_at, updated_at, version, ${names.join(', ')})
     VALUES (:tenant, ?, ?, ?, ?, ${names.map(() => '?').join(', ')})`,
    [idToBytes(customer.id), customer.createdAt, customer.updatedAt, customer.version, ...Object.values(columns)],
  );
}

/** Sets the fields of a customer that this transaction has locked. */
export async function updateCustomer(tx: Statements, customer: Customer): Promise<void> {
  await setColumns(tx, 'customers', customer.tenantId, customer.id, columnsOf(customer));
}

export async function findCustomer(db: Statements, tenantId: string, id: string): Promise<Customer | undefined> {
  const [row] = await tenantScope(db, tenantId).query<CustomerRow>(
    `SELECT ${CUSTOMER_COLUMNS.join(', ')} FROM customers p WHERE p.tenant_id = :tenant AND p.id = ?`,
    [idToBytes(id)],
  );
  return row && customerOf(row, tenantId);
}

/** Returns customers with this e-mail address or these digits in their telephone number, oldest first. */
export async function findDuplicates(
  db: Statements,
  tenantId: string,
  { email, phone }: { readonly email: string | undefined; readonly phone: string | undefined },
  maximum: number,
): Promise<Customer[]> {
  const key = email === undefined ? null : emailKey(email);
  const digits = phone === undefined ? null : Buffer.from(phoneDigits(phone));
  // Each branch uses its own index. With OR, both engines would read all customers in the order of creation. SQLite would
  // do so for ORDER BY created_at too: `+ 0` keeps it from using that index. A comparison with NULL finds no row.
  const rows = await tenantScope(db, tenantId).query<CustomerRow>(
    `SELECT ${CUSTOMER_COLUMNS.join(', ')} FROM (
       SELECT id, ${COLUMNS} FROM customers WHERE tenant_id = :tenant AND email_key = ?
        UNION ALL SELECT id, ${COLUMNS} FROM customers
        WHERE tenant_id = :tenant AND phone_digits = ? AND COALESCE(email_key = ?, 0) = 0) AS p
      ORDER BY created_at + 0, p.id LIMIT ${maximum}`,
    [key, digits, key],
  );
  return rows.map((row) => customerOf(row, tenantId));
}

export function customerOf(row: CustomerRow, tenantId: string): Customer {
  return {
    id: hexToId(row.id),
    tenantId,
    name: row.name,
    email: row.email ?? undefined,
    phone: row.phone ?? undefined,
    address: row.address ?? undefined,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

function columnsOf({ name, email, phone, address, status }: CustomerFields): Record<string, SqlValue> {
  return {
    name,
    email: email ?? null,
    phone: phone ?? null,
    address: address ?? null,
    status,
    email_key: email === undefined ? null : emailKey(email),
    phone_digits: phone === undefined ? null : Buffer.from(phoneDigits(phone)),
    search_text: searchText(name, email, phone),
  };
}
