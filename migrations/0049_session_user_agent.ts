import { addColumn, optional, type Schema, text } from './schema/create-table.ts';

// The User-Agent header of the login. Sessions of the previous release have none.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'session_families', 'user_agent', optional(text(512)));
}
