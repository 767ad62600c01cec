import type { Knex } from 'knex';
import { addColumn, bytesKey, optional } from './schema/create-table.ts';

// The first browser origin that came with a session; null until one comes. Compared to the letter.
export async function up(knex: Knex): Promise<void> {
  await addColumn(knex, 'session_families', 'origin', optional(bytesKey(900)));
}
