import type { Knex } from 'knex';
import { bytesKey, createTable, text, time } from './schema/create-table.ts';

export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'tenants', {
    columns: {
      id: bytesKey(63),
      name: text(200),
      status: text(16),
      created_at: time,
      updated_at: time,
    },
    primaryKey: ['id'],
  });
}
