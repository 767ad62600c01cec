import type { Knex } from 'knex';
import { addIndex } from './schema/create-table.ts';

// Finds the audit records that are older than app.audit.retention.
export async function up(knex: Knex): Promise<void> {
  await addIndex(knex, 'audit_records', ['at']);
}
