import {
  blob,
  bytesKey,
  createTable,
  integer,
  longText,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// The keys of ID tokens have a table of their own. Earlier releases run beside this one during an update: they read all rows of
// `signing_keys` as one schedule, and would sign access tokens with the newest.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'id_signing_keys', {
    columns: {
      kid: bytesKey(64),
      algorithm: text(16),
      public_jwk: longText,
      private_key: blob,
      sequence: integer,
      signs_from: time,
      verifies_until: optional(time),
      created_at: time,
      updated_at: time,
    },
    primaryKey: ['kid'],
    unique: [['sequence']],
    indexes: [['verifies_until']],
  });
}
