import { descendIndexes, type Schema } from './schema/create-table.ts';

// The lists of users and of service accounts are read newest first. MariaDB tests conditions inside an index only if it reads
// the index forwards.
export async function up(schema: Schema): Promise<void> {
  const columns = ['interactive', 'id', 'disabled', 'roles', 'text_key'];
  await descendIndexes(schema, 'accounts', 'id', [columns, ['tenant_id', ...columns]]);
}
