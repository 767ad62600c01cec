import {
  amount,
  blob,
  bytes,
  bytesKey,
  createTable,
  flag,
  integer,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// Logins whose password was right and that need a second factor. There is no foreign key to accounts: see migration 0004. Ids are
// unique across all tenants, because a client presents only the challenge.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'login_challenges', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      account_id: bytes(16),
      secret_hash: bytes(32),
      kind: text(16),
      transport: text(16),
      remember_me: flag,
      origin: optional(bytesKey(900)),
      factors_version: amount,
      tries: integer,
      created_at: time,
      expires_at: time,
      used_at: optional(time),
      totp_secret: optional(blob),
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['id']],
    indexes: [['tenant_id', 'account_id'], ['expires_at']],
  });
}
