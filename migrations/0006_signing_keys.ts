import {
  blob,
  bytesKey,
  createTable,
  flag,
  longText,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// Private keys are encrypted with the key-encryption key. `active_slot` is 1 for the key that signs and NULL for all others. It is
// unique, so that only one of several processes that start at the same time creates the first key.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'signing_keys', {
    columns: {
      kid: bytesKey(64),
      algorithm: text(16),
      public_jwk: longText,
      private_key: blob,
      state: text(16),
      active_slot: optional(flag),
      created_at: time,
      updated_at: time,
    },
    primaryKey: ['kid'],
    unique: [['active_slot']],
  });
}
