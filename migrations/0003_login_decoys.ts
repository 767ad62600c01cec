import { bytes, counter, createTable, optional, type Schema, time } from './schema/create-table.ts';

// Lock states of unknown usernames. The table stores only hashes, because it never shows the usernames.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'login_decoys', {
    columns: {
      username_hash: bytes(32),
      login_failed_count: counter,
      login_claims: counter,
      login_claims_expire_at: optional(time),
      locked_until: optional(time),
      expires_at: time,
    },
    primaryKey: ['username_hash'],
    indexes: [['expires_at']],
  });
}
