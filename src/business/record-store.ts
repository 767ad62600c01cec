// Business records of tenants: customers, orders, products, files, dashboard. One folder for each service.
import { byPrimaryKey } from '../platform/db/query/by-primary-key.ts';
import { tenantScope } from '../platform/db/query/tenant-scope.ts';
import type { SqlValue, Statements } from '../platform/db/types.ts';
import { idToBytes } from '../platform/db/ids.ts';

/** The tables of records with `version` and `updated_at`. */
export type RecordTable = 'products' | 'customers' | 'orders';

/**
 * Increases a record's version, which locks the record until the transaction ends. Data read after that does not
 * change. Returns false if there is no such record.
 */
export async function lockRecord(
  tx: Statements,
  table: RecordTable,
  tenantId: string,
  id: string,
  now: number,
): Promise<boolean> {
  const locked = await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey(table)} SET version = version + 1, updated_at = ? WHERE tenant_id = :tenant AND id = ?`,
    [now, idToBytes(id)],
  );
  return locked > 0;
}

/** Sets columns of a record that this transaction has locked. */
export async function setColumns(
  tx: Statements,
  table: RecordTable,
  tenantId: string,
  id: string,
  columns: Readonly<Record<string, SqlValue>>,
): Promise<void> {
  const names = Object.keys(columns);
  if (names.length === 0) return;
  await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey(table)} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE tenant_id = :tenant AND id = ?`,
    [...Object.values(columns), idToBytes(id)],
  );
}

/** Deletes a record that this transaction has locked, with its dependent rows. */
export async function deleteRecord(tx: Statements, table: RecordTable, tenantId: string, id: string): Promise<void> {
  await tenantScope(tx, tenantId).execute(`DELETE FROM ${table} WHERE tenant_id = :tenant AND id = ?`, [idToBytes(id)]);
}
