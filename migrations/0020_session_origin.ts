import { addColumn, bytesKey, optional, type Schema } from './schema/create-table.ts';

// The first browser origin that came with a session; null until one comes. Compared to the letter.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'session_families', 'origin', optional(bytesKey(900)));
}
