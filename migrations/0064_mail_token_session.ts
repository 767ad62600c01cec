import { addColumn, bytes, optional, type Schema } from './schema/create-table.ts';

// The session that has requested a token. The token ends with it.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'mail_tokens', 'session_id', optional(bytes(16)));
}
