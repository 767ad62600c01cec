import type { Knex } from 'knex';
import { bytes, bytesKey, createTable, longText, time } from './schema/create-table.ts';

export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'customer_notes', {
    columns: {
      tenant_id: bytesKey(63),
      customer_id: bytes(16),
      id: bytes(16),
      text: longText,
      author_id: bytes(16),
      created_at: time,
    },
    primaryKey: ['tenant_id', 'customer_id', 'id'],
    owner: { columns: ['tenant_id', 'customer_id'], table: 'customers', key: ['tenant_id', 'id'] },
  });
}
