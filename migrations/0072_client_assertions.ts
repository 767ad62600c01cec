import { bytes, createTable, type Schema, time } from './schema/create-table.ts';

// Client assertions of applications that were used (RFC 7523 section 3). They are kept until they expire, so that none is used twice.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'client_assertions', {
    columns: { application_id: bytes(16), jti_hash: bytes(32), expires_at: time },
    primaryKey: ['application_id', 'jti_hash'],
    indexes: [['expires_at']],
  });
}
