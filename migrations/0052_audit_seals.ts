import { amount, bytes, bytesKey, createTable, optional, type Schema, time } from './schema/create-table.ts';

// Seals of audit records: one row for each tenant and day in a batch, and one of the tenant `*`, which cannot exist, for the batch.
// `records_at` is the time of the newest record, and NULL when the retention has removed the records.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'audit_seals', {
    columns: {
      tenant_id: bytesKey(63),
      number: amount,
      first_sequence: amount,
      last_sequence: amount,
      newest_at: time,
      sealed_at: time,
      digest: bytes(32),
      mac: bytes(32),
      records_at: optional(time),
      removed_at: optional(time),
      kept_ms: optional(time),
      removal_mac: optional(bytes(32)),
    },
    primaryKey: ['tenant_id', 'number'],
    indexes: [['last_sequence'], ['records_at']],
  });
}
