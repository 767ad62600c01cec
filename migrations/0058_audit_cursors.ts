import { amount, bytesKey, createTable, type Schema } from './schema/create-table.ts';

// How far jobs have processed the sealed audit records: the sequence of the last one.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'audit_cursors', {
    columns: { name: bytesKey(64), sequence: amount },
    primaryKey: ['name'],
  });
}
