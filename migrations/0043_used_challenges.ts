import { bytes, createTable, type Schema, time } from './schema/create-table.ts';

// Challenges of passkeys are not stored until they are used.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'used_challenges', {
    columns: { hash: bytes(32), expires_at: time },
    primaryKey: ['hash'],
    indexes: [['expires_at']],
  });
}
