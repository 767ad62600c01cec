import { bytes, bytesKey, createTable, optional, type Schema, text, time } from './schema/create-table.ts';

// Every request looks up its key by the hash. Revoked keys stay, so that their ids are never reused.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'api_keys', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      id: bytes(16),
      key_hash: bytes(32),
      label: text(100),
      prefix: text(32),
      created_at: time,
      created_by: bytes(16),
      expires_at: optional(time),
      last_used_at: optional(time),
      revoked_at: optional(time),
    },
    primaryKey: ['tenant_id', 'account_id', 'id'],
    unique: [['key_hash']],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
}
