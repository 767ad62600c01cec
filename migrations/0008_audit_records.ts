import { bytes, bytesKey, createTable, longText, optional, type Schema, text, time } from './schema/create-table.ts';

// No foreign keys: a record outlives the account it speaks of. Ids are UUIDv7, so the primary key is the order of time.
// The username is what was typed, whether it exists or not.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'audit_records', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      at: time,
      event: text(64),
      account_id: optional(bytes(16)),
      username: optional(text(254)),
      actor_id: optional(bytes(16)),
      client_address: text(64),
      request_id: text(64),
      details: longText,
    },
    primaryKey: ['tenant_id', 'id'],
    // The first for those who may read the records of all tenants.
    indexes: [['id'], ['tenant_id', 'account_id', 'id'], ['tenant_id', 'actor_id', 'id']],
  });
}
