import { addColumn, bytes, optional, type Schema, text, time } from './schema/create-table.ts';

// Up to which session, by its id, all sessions of an account have ended at once; null until that happens. One row says it for
// any number of sessions.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'sessions_ended_through', optional(bytes(16)));
  await addColumn(schema, 'accounts', 'sessions_ended_at', optional(time));
  await addColumn(schema, 'accounts', 'sessions_ended_reason', optional(text(32)));
}
