import { replaceIndexes, type Schema } from './schema/create-table.ts';

// The lists of users and of service accounts, newest first. The filters read their columns from the index, without the row. An
// index of MySQL cannot contain the whole text for searches.
export async function up(schema: Schema): Promise<void> {
  const columns = ['interactive', 'id', 'disabled', 'roles', ...(schema.engine === 'sqlite' ? ['search_text'] : [])];
  await replaceIndexes(schema, 'accounts', { add: [{ columns }, { columns: ['tenant_id', ...columns] }] });
}
