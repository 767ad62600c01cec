import { replaceIndexes, type Schema } from './schema/create-table.ts';

// The accounts whose sessions were ended at once since the oldest session, of all tenants and of one. A list of sessions reads them
// before its rows.
export async function up(schema: Schema): Promise<void> {
  await replaceIndexes(schema, 'accounts', {
    add: [
      { columns: ['sessions_ended_through', 'tenant_id', 'id'] },
      { columns: ['tenant_id', 'sessions_ended_through', 'id'] },
    ],
  });
}
