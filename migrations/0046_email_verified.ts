import { addColumn, optional, type Schema, time } from './schema/create-table.ts';

// When a token of a mail has proven the address in `email`. NULL if none has, and after a change of the address.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'email_verified_at', optional(time));
}
