import { bytes, createTable, type Schema, time } from './schema/create-table.ts';

// The id is a session family's (claim sid), or a token's own (jti) where it belongs to none.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'token_blacklist', {
    columns: {
      id: bytes(16),
      expires_at: time,
    },
    primaryKey: ['id'],
    indexes: [['expires_at']],
  });
}
