import { addIndex, type Schema } from './schema/create-table.ts';

// The accounts whose sessions were ended at once since the oldest session. A list of sessions reads them before its rows.
export async function up(schema: Schema): Promise<void> {
  await addIndex(schema, 'accounts', ['sessions_ended_through', 'tenant_id', 'id']);
}
