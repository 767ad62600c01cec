import { amount, bytesKey, createTable, longText, type Schema, time } from './schema/create-table.ts';

// Numbers of audit records by tenant and hour. `tenant_id` is `*` for the sum of all tenants, which is no id of a tenant. `reasons` is a
// JSON object with the number of failures by reason.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'login_statistics', {
    columns: {
      tenant_id: bytesKey(63),
      hour_at: time,
      logins: amount,
      failures: amount,
      locks: amount,
      reasons: longText,
    },
    primaryKey: ['tenant_id', 'hour_at'],
    // For the cleanup.
    indexes: [['hour_at']],
  });
}
