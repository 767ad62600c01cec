import { bytes, createTable, type Schema, time } from './schema/create-table.ts';

// The id is that of a session (claim sid), or of a token without a session (claim jti).
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
