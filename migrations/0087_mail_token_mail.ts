import { addColumn, bytes, optional, type Schema, time } from './schema/create-table.ts';

// The mail that has the link of a token, for the state of that mail. `shown_at` is when the link was shown to an administrator instead.
// Both are NULL for tokens of before.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'mail_tokens', 'mail_id', optional(bytes(16)));
  await addColumn(schema, 'mail_tokens', 'shown_at', optional(time));
}
