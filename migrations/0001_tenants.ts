import { bytesKey, createTable, type Schema, text, time } from './schema/create-table.ts';

export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'tenants', {
    columns: {
      id: bytesKey(63),
      name: text(200),
      status: text(16),
      created_at: time,
      updated_at: time,
    },
    primaryKey: ['id'],
  });
}
