import { bytesKey, createTable, time, type Schema } from './schema/create-table.ts';

// The version of the policy that was applied to the stored ends of a tenant's sessions.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'session_limits', {
    columns: { tenant_id: bytesKey(63), definitions_version: time, applied_at: time },
    primaryKey: ['tenant_id'],
  });
}
