import { bytes, bytesKey, createTable, longText, type Schema, time } from './schema/create-table.ts';

export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'customer_notes', {
    columns: {
      tenant_id: bytesKey(63),
      customer_id: bytes(16),
      id: bytes(16),
      text: longText,
      author_id: bytes(16),
      created_at: time,
    },
    primaryKey: ['tenant_id', 'customer_id', 'id'],
    owner: { columns: ['tenant_id', 'customer_id'], table: 'customers', key: ['tenant_id', 'id'] },
  });
}
