import {
  blob,
  bytes,
  bytesKey,
  counter,
  createTable,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// Mails that wait to be sent, written in the transaction that causes them. `next_at` is the time of the next attempt; NULL for a
// mail that was given up. `attempt_at` is set while an attempt runs. The content is encrypted.
//
// The tenant `.`, which cannot exist, holds the rows of requests for no account. They cost the same statements.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'mails', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      template: text(32),
      encrypted: blob,
      created_at: time,
      give_up_at: time,
      next_at: optional(time),
      attempts: counter,
      attempt_at: optional(time),
      error: optional(text(200)),
      expires_at: optional(time),
    },
    primaryKey: ['tenant_id', 'id'],
    indexes: [['next_at'], ['expires_at']],
  });
}
