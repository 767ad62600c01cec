import { addColumn, bytes, createTable, integer, optional, type Schema, time } from './schema/create-table.ts';

// Each rotation of a session belongs to a batch. A batch whose rotations can no longer be set back has a row. The batch of a
// session counts only for the generation beside it: the previous release issues generations without a batch.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'settled_rotations', {
    columns: { batch: bytes(16), settled_at: time },
    primaryKey: ['batch'],
    indexes: [['settled_at']],
  });
  await addColumn(schema, 'session_families', 'rotation_batch', optional(bytes(16)));
  await addColumn(schema, 'session_families', 'rotation_batch_generation', optional(integer));
}
