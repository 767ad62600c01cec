import type { Knex } from 'knex';
import { bytes, bytesKey, createTable, integer, optional, time } from './schema/create-table.ts';

export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'job_leases', {
    columns: {
      name: bytesKey(64),
      holder: bytes(16),
      expires_at: time,
      last_run_at: optional(time),
      last_count: optional(integer),
    },
    primaryKey: ['name'],
  });
}
