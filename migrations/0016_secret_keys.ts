import { blob, bytesKey, createTable, type Schema, time } from './schema/create-table.ts';

// Secrets are encrypted with the key-encryption key.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'secret_keys', {
    columns: {
      name: bytesKey(64),
      secret: blob,
      created_at: time,
    },
    primaryKey: ['name'],
  });
}
