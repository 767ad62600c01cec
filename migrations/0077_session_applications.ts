import { bytes, bytesKey, createTable, time, type Schema } from './schema/create-table.ts';

// The applications that have had a grant of a session, until its end is sent to them. `check_at` is when the session is looked at next: its
// end sets it to 0. tenant_id is '' for accounts without a tenant. The rows outlive the session and the account, whose deletion is an end.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'session_applications', {
    columns: {
      tenant_id: bytesKey(63),
      session_id: bytes(16),
      application_id: bytes(16),
      account_id: bytes(16),
      check_at: time,
    },
    primaryKey: ['tenant_id', 'session_id', 'application_id'],
    indexes: [['account_id'], ['check_at']],
  });
}
