import { addColumn, replaceIndexes, type Schema } from './schema/create-table.ts';

// The lists of users and of service accounts, newest first. The filters and searches read their columns from the index, without the
// row. A key of MySQL has at most 3,072 bytes, so longer texts are read from their rows. All texts in ASCII fit. The column has a
// short name because the name of an index has at most 64 characters.
//
// STORED, because an index of a virtual column depends on its expression whenever the server removes old rows.
export async function up(schema: Schema): Promise<void> {
  if (schema.engine === 'mysql') {
    const short = 'IF(LENGTH(search_text) <= 800, search_text, NULL)';
    await addColumn(schema, 'accounts', 'text_key', {
      mysql: `VARBINARY(800) GENERATED ALWAYS AS (${short}) STORED`,
      sqlite: '',
    });
  }
  const text = schema.engine === 'mysql' ? 'text_key' : 'search_text';
  const columns = ['interactive', 'id', 'disabled', 'roles', text];
  await replaceIndexes(schema, 'accounts', { add: [{ columns }, { columns: ['tenant_id', ...columns] }] });
}
