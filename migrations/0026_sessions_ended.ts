import { addColumn, bytes, optional, type Schema, text, time } from './schema/create-table.ts';

// Id of a session: this session and all earlier sessions of the account have ended. NULL if they were never ended together. One
// update revokes any number of sessions.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'sessions_ended_through', optional(bytes(16)));
  await addColumn(schema, 'accounts', 'sessions_ended_at', optional(time));
  await addColumn(schema, 'accounts', 'sessions_ended_reason', optional(text(32)));
}
