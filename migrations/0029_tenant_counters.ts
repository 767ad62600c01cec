import { amount, bytesKey, createTable, type Schema } from './schema/create-table.ts';

export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'tenant_counters', {
    columns: { tenant_id: bytesKey(63), name: bytesKey(40), value: amount },
    primaryKey: ['tenant_id', 'name'],
  });
}
