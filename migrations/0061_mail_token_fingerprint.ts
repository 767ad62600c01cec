import { addColumn, bytes, optional, type Schema } from './schema/create-table.ts';

// The fingerprint of the password that a recovery replaces, so that the token ends with it.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'mail_tokens', 'fingerprint', optional(bytes(32)));
}
