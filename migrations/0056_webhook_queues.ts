import { bytes, bytesKey, counter, createTable, flag, optional, type Schema, time } from './schema/create-table.ts';

// When a webhook is looked at next, and by which process. `due_at` is NULL if no delivery waits. `failures` counts failed attempts since
// the last success; the webhook pauses after them. `is_slow` is set after failures and slow responses. It is apart from the webhooks, so
// that their changes and the deliveries do not wait for each other.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'webhook_queues', {
    columns: {
      tenant_id: bytesKey(63),
      webhook_id: bytes(16),
      due_at: optional(time),
      paused_until: time,
      failures: counter,
      is_slow: flag,
      holder_id: optional(bytes(16)),
      leased_until: time,
    },
    primaryKey: ['tenant_id', 'webhook_id'],
    indexes: [['is_slow', 'due_at']],
  });
}
