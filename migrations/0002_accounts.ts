import {
  bytes,
  bytesKey,
  counter,
  createTable,
  flag,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// tenant_id is '' for accounts without a tenant (SUPER_ADMIN), because NULL cannot be part of a primary key. There is no foreign
// key to tenants, because it would require a row for ''. Tenants are suspended, never deleted.
//
// A username has up to 254 characters of up to 4 bytes. It is unique across all tenants, because a login does not contain the
// tenant. Ids are unique across all tenants too, because a token contains only the account's id.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'accounts', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      username: bytesKey(1016),
      name: text(200),
      email: optional(text(320)),
      interactive: flag,
      roles: text(255),
      password_hash: optional(text(255)),
      disabled: flag,
      account_expires_at: optional(time),
      credentials_expire_at: optional(time),
      login_failed_count: counter,
      login_claims: counter,
      login_claims_expire_at: optional(time),
      locked_until: optional(time),
      created_at: time,
      updated_at: time,
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['id'], ['username']],
  });
}
