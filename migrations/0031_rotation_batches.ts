import { addColumn, bytes, integer, optional, type Schema } from './schema/create-table.ts';

// The batch of a session's last rotation. It counts only for the generation beside it: the previous release issues generations
// without a batch.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'session_families', 'rotation_batch', optional(bytes(16)));
  await addColumn(schema, 'session_families', 'rotation_batch_generation', optional(integer));
}
