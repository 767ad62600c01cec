import {
  amount,
  blob,
  bytes,
  bytesKey,
  createTable,
  flag,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// A credential id can have 1,023 bytes, so its SHA-256 is the unique key.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'passkeys', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      id: bytes(16),
      credential_hash: bytes(32),
      credential_id: blob,
      public_key: blob,
      counter: amount,
      rp_id: text(255),
      label: text(100),
      transports: text(200),
      backup_eligible: flag,
      backed_up: flag,
      created_at: time,
      last_used_at: optional(time),
    },
    primaryKey: ['tenant_id', 'account_id', 'id'],
    unique: [['credential_hash']],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
}
