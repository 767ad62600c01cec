import type { Knex } from 'knex';
import { blob, bytesKey, createTable, time } from './schema/create-table.ts';

// Secrets are encrypted under the key-encryption key.
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'secret_keys', {
    columns: {
      name: bytesKey(64),
      secret: blob,
      created_at: time,
    },
    primaryKey: ['name'],
  });
}
