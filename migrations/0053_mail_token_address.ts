import { addColumn, optional, type Schema, text } from './schema/create-table.ts';

// The address that a token proves, if it is to become that of the account.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'mail_tokens', 'email', optional(text(320)));
}
