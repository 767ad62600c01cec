import { bytes, bytesKey, createTable, longText, optional, type Schema, text, time } from './schema/create-table.ts';

// No foreign keys: a record outlives its account. Ids are UUIDv7, so the primary key sorts by time. The username is stored as the
// client sent it, even if it is unknown.
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
    // The first index is for SUPER_ADMIN, which reads the records of all tenants.
    indexes: [['id'], ['tenant_id', 'account_id', 'id'], ['tenant_id', 'actor_id', 'id']],
  });
}
