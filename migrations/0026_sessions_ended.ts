import type { Knex } from 'knex';
import { addColumn, bytes, optional, text, time } from './schema/create-table.ts';

// Up to which session, by its id, all sessions of an account have ended at once; null until that happens. One row says it for
// any number of sessions.
export async function up(knex: Knex): Promise<void> {
  await addColumn(knex, 'accounts', 'sessions_ended_through', optional(bytes(16)));
  await addColumn(knex, 'accounts', 'sessions_ended_at', optional(time));
  await addColumn(knex, 'accounts', 'sessions_ended_reason', optional(text(32)));
}
