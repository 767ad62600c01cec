import { addColumn, bytesKey, optional, type Schema } from './schema/create-table.ts';

// The first browser origin of a session. NULL until a request has an Origin header. Compared byte by byte.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'session_families', 'origin', optional(bytesKey(900)));
}
