// All rows of a tenant, in every table with a column tenant_id. The tables come from the schema, so that a new table is
// never forgotten.
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Row, SqlValue } from '../../platform/db/types.ts';

/** A table with rows of tenants. */
export interface TenantTable {
  readonly name: string;
  /** The columns of its primary key, in order. */
  readonly key: readonly string[];
}

interface KeyColumn {
  readonly table_name: string;
  readonly column_name: string;
}

/** The columns of the primary keys of all tables that have a column tenant_id, by table and position. */
const KEY_COLUMNS: Readonly<Record<Database['engine'], string>> = {
  sqlite: `SELECT m.name AS table_name, c.name AS column_name FROM sqlite_master m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.pk > 0 AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'tenant_id')
    ORDER BY m.name, c.pk`,
  mysql: `SELECT s.table_name AS table_name, s.column_name AS column_name FROM information_schema.statistics s
    WHERE s.table_schema = DATABASE() AND s.index_name = 'PRIMARY' AND EXISTS (
      SELECT 1 FROM information_schema.columns c
       WHERE c.table_schema = s.table_schema AND c.table_name = s.table_name AND c.column_name = 'tenant_id')
    ORDER BY s.table_name, s.seq_in_index`,
};

/** Returns all tables with rows of tenants, by name. */
export async function findTenantTables(database: Database): Promise<readonly TenantTable[]> {
  const columns = await database.query<KeyColumn>(KEY_COLUMNS[database.engine]);
  const tables = Map.groupBy(columns, (column) => column.table_name);
  return [...tables].map(([name, key]) => ({ name, key: key.map((column) => column.column_name) }));
}

/** Returns the next rows of a tenant in a table, in the order of the primary key. */
export async function selectTenantRows(
  database: Database,
  tenantId: string,
  { name, key }: TenantTable,
  { after, size }: { readonly after: Row | undefined; readonly size: number },
): Promise<Row[]> {
  const next = after === undefined ? '' : `AND (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  const values = after === undefined ? [] : key.map((column): SqlValue => after[column]!);
  return tenantScope(database, tenantId).query(
    `SELECT * FROM ${name} WHERE tenant_id = :tenant ${next} ORDER BY ${key.join(', ')} LIMIT ${size}`,
    values,
  );
}

/** Deletes at most `size` rows of a tenant in a table, and the rows that belong to them. Returns their number. */
export async function deleteTenantRows(
  database: Database,
  tenantId: string,
  { name }: TenantTable,
  size: number,
): Promise<number> {
  const some = {
    // Most builds of SQLite do not support LIMIT in DELETE.
    sqlite: `rowid IN (SELECT rowid FROM ${name} WHERE tenant_id = :tenant LIMIT ${size}) AND tenant_id = :tenant`,
    mysql: `tenant_id = :tenant LIMIT ${size}`,
  }[database.engine];
  return tenantScope(database, tenantId).execute(`DELETE FROM ${name} WHERE ${some}`);
}
