import {
  amount,
  blob,
  bytes,
  bytesKey,
  createTable,
  longText,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// Webhooks of tenants, with the tenant_id '' for the records of all tenants. `events` is JSON. `disabled_reason` is NULL for a webhook
// that is enabled. The previous secret signs beside the current one until `previous_until`. A webhook gets the audit records after
// `after_sequence`: those since it was created or enabled.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'webhooks', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      url: text(2000),
      events: longText,
      disabled_reason: optional(text(16)),
      encrypted_secret: blob,
      previous_secret: optional(blob),
      previous_until: optional(time),
      after_sequence: amount,
      created_at: time,
      updated_at: time,
      version: amount,
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['id']],
  });
}
