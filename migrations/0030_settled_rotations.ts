import { bytes, createTable, type Schema, time } from './schema/create-table.ts';

// A row for each batch of rotations of sessions that can no longer be set back.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'settled_rotations', {
    columns: { batch: bytes(16), settled_at: time },
    primaryKey: ['batch'],
    indexes: [['settled_at']],
  });
}
