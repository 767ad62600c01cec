import {
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

// One row per login. There is no foreign key to accounts: at every login, InnoDB would lock the account's row in share mode, which
// conflicts with updates of the login counters. A session without an account is rejected, and deleted by the cleanup.
//
// The selector is unique, because a refresh finds the session by it. The index by account is for the revocation of all sessions of
// an account. Ids are unique across all tenants, because a token contains only the session's id.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'session_families', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      account_id: bytes(16),
      selector: bytes(16),
      verifier_hash: bytes(32),
      generation: integer,
      credential_form: text(16),
      remember_me: flag,
      client_address: text(64),
      created_at: time,
      refreshed_at: time,
      idle_expires_at: time,
      absolute_expires_at: optional(time),
      access_expires_at: time,
      revoked_at: optional(time),
      revoked_reason: optional(text(32)),
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['id'], ['selector']],
    indexes: [['tenant_id', 'account_id'], ['idle_expires_at']],
  });
}
