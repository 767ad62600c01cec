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

// The tenant of an account without one (SUPER_ADMIN) is ''. So there is no foreign key to tenants: it would need a row
// for '', and NULL cannot be part of a primary key. Tenants are suspended, never deleted.
//
// A username has up to 254 characters of up to 4 bytes. It is unique over all tenants: it is what a login begins with.
// Ids are unique by themselves too, because a token names only the account's.
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
