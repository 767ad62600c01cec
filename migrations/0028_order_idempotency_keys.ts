import { bytes, bytesKey, createTable, largeBlob, type Schema, time } from './schema/create-table.ts';

export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'order_idempotency_keys', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      key_hash: bytes(32),
      request_hash: bytes(32),
      answer: largeBlob,
      expires_at: time,
    },
    primaryKey: ['tenant_id', 'account_id', 'key_hash'],
    indexes: [['expires_at']],
  });
}
