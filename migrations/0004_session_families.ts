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

// One row per login. No foreign key to accounts: InnoDB would lock the account's row in share mode at every login, against
// the lock counters that are written there, and a family without its account is refused and cleaned up anyway.
//
// The selector is unique because it is how a refresh finds its family; the index by account serves the revocation of all its
// sessions. Ids are unique by themselves because a token names only the family's.
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
