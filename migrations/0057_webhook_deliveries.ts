import {
  amount,
  bytes,
  bytesKey,
  counter,
  createTable,
  longText,
  optional,
  type Schema,
  integer,
  text,
  time,
} from './schema/create-table.ts';

// Deliveries of webhooks. The content is read from the audit record when it is sent, so that an erasure applies to it, too. `payload` is
// the content of the others. `next_at` is NULL if no attempt follows.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'webhook_deliveries', {
    columns: {
      tenant_id: bytesKey(63),
      webhook_id: bytes(16),
      id: bytes(16),
      sequence: amount,
      event: text(64),
      record_tenant: bytesKey(63),
      record_id: optional(bytes(16)),
      payload: optional(longText),
      status: text(16),
      attempts: counter,
      created_at: time,
      next_at: optional(time),
      attempt_at: optional(time),
      response_status: optional(integer),
      error: optional(text(200)),
      expires_at: time,
    },
    primaryKey: ['tenant_id', 'webhook_id', 'id'],
    indexes: [['tenant_id', 'webhook_id', 'next_at', 'sequence'], ['expires_at']],
  });
}
