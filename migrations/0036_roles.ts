import {
  addColumn,
  addIndex,
  amount,
  bytesKey,
  createTable,
  longText,
  optional,
  type Schema,
  time,
} from './schema/create-table.ts';

// Roles of tenants, with the tenant_id '' for every tenant. `permissions` and `inherits` are JSON. The index by name finds the
// tenants that use a name. The row with the empty name locks the roles for every tenant: transactions that change these roles, or
// create a tenant, write it first. So no tenant misses a change, also on a cluster. Its version changes with these roles.
//
// `tenants.definitions_version` changes with the roles and the policy of a tenant. 0 means that it has none.
//
// An account can hold 50 roles, so the column gets longer. Names of roles are ASCII, and in this character set the indexes of
// migration 0035 stay below the largest size of an index. SQLite has no lengths. The index by roles counts the accounts of each role.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'roles', {
    columns: {
      tenant_id: bytesKey(63),
      name: bytesKey(63),
      description: { mysql: 'VARCHAR(1000) NULL', sqlite: 'TEXT NULL' },
      permissions: longText,
      inherits: longText,
      created_at: time,
      updated_at: time,
      version: amount,
    },
    primaryKey: ['tenant_id', 'name'],
    indexes: [['name']],
  });
  const none = Buffer.alloc(0);
  const found = await schema.query('SELECT 1 AS one FROM roles WHERE tenant_id = ? AND name = ?', [none, none]);
  if (found.length === 0) {
    await schema.execute(
      `INSERT INTO roles (tenant_id, name, permissions, inherits, created_at, updated_at, version)
        VALUES (?, ?, '[]', '[]', 0, 0, 1)`,
      [none, none],
    );
  }
  await addColumn(schema, 'tenants', 'definitions_version', {
    mysql: 'BIGINT NOT NULL DEFAULT 0',
    sqlite: 'INTEGER NOT NULL DEFAULT 0',
  });
  await addColumn(schema, 'tenants', 'policy', optional(longText));
  if (schema.engine === 'mysql') {
    await schema.execute(
      'ALTER TABLE accounts MODIFY roles VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL',
    );
  }
  await addIndex(schema, 'accounts', ['tenant_id', 'roles']);
}
