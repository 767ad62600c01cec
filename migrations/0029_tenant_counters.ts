import type { Knex } from 'knex';
import { amount, bytesKey, createTable } from './schema/create-table.ts';

export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'tenant_counters', {
    columns: { tenant_id: bytesKey(63), name: bytesKey(40), value: amount },
    primaryKey: ['tenant_id', 'name'],
  });
}
