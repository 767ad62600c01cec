import { addColumn, counter, type Schema } from './schema/create-table.ts';

// Grows with each change of a password. A new hash of the same password, which a login stores if the old one is outdated, leaves it as
// it is.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'password_version', counter);
}
