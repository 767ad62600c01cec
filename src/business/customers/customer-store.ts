// The customers table. record-store.ts increases the versions.
import { bytesToId, idToBytes } from '../../db/ids.ts';
import { searchText } from '../../db/query/search-text.ts';
import { tenantScope } from '../../db/query/tenant-scope.ts';
import type { Row, SqlValue, Statements } from '../../db/types.ts';
import { fieldColumns } from '../field-columns.ts';
import { setColumns } from '../record-store.ts';
import { emailKey, phoneDigits, type Customer, type CustomerFields } from './customer.ts';

export interface CustomerRow extends Row {
  tenant_id: Uint8Array;
  id: Uint8Array;
  created_at: number;
  updated_at: number;
  version: number;
}

const FIELDS = fieldColumns<CustomerFields>({
  name: 'name',
  email: 'email',
  phone: 'phone',
  address: 'address',
  status: 'status',
});

export const CUSTOMER_COLUMNS = ['tenant_id', 'id', ...FIELDS.names, 'created_at', 'updated_at', 'version'];

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
    `SELECT ${CUSTOMER_COLUMNS.join(', ')} FROM customers WHERE tenant_id = :tenant AND id = ?`,
    [idToBytes(id)],
  );
  return row && customerOf(row);
}

/** Returns customers with this e-mail address or these digits in their telephone number, oldest first. */
export async function findDuplicates(
  db: Statements,
  tenantId: string,
  { email, phone }: { readonly email: string | undefined; readonly phone: string | undefined },
  maximum: number,
): Promise<Customer[]> {
  const columns = CUSTOMER_COLUMNS.join(', ');
  const key = email === undefined ? null : emailKey(email);
  const digits = phone === undefined ? null : Buffer.from(phoneDigits(phone));
  // Each branch uses its own index. An OR would make both engines read all customers by age; the sum prevents that for
  // SQLite. NULL equals nothing.
  const rows = await tenantScope(db, tenantId).query<CustomerRow>(
    `SELECT ${columns} FROM (
       SELECT ${columns} FROM customers WHERE tenant_id = :tenant AND email_key = ?
        UNION ALL SELECT ${columns} FROM customers
        WHERE tenant_id = :tenant AND phone_digits = ? AND COALESCE(email_key = ?, 0) = 0) AS found
      ORDER BY created_at + 0, id LIMIT ${maximum}`,
    [key, digits, key],
  );
  return rows.map(customerOf);
}

export function customerOf(row: CustomerRow): Customer {
  return {
    ...FIELDS.read(row),
    id: bytesToId(row.id),
    tenantId: Buffer.from(row.tenant_id).toString(),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

function columnsOf(fields: CustomerFields): Record<string, SqlValue> {
  const { name, email, phone } = fields;
  return {
    ...FIELDS.write(fields),
    email_key: email === undefined ? null : emailKey(email),
    phone_digits: phone === undefined ? null : Buffer.from(phoneDigits(phone)),
    search_text: searchText(name, email, phone),
  };
}
