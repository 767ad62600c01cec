import { addColumn, type ColumnType, type Schema } from './schema/create-table.ts';

const version: ColumnType = { mysql: 'INT NOT NULL DEFAULT 1', sqlite: 'INTEGER NOT NULL DEFAULT 1' };

// The version of an account that a change can name (If-Match). It grows with each change by an administrator or the owner, not with logins.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'version', version);
}
