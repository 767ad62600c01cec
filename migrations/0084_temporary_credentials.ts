import { addColumn, blob, optional, type Schema, time } from './schema/create-table.ts';

// Until when a temporary password can begin a login, which then replaces it; NULL if the password is not temporary. Until when a code of
// an administrator stands in for a lost factor; the encrypted code is with the factors.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'password_temporary_until', optional(time));
  await addColumn(schema, 'accounts', 'access_code_until', optional(time));
  await addColumn(schema, 'account_factors', 'access_code', optional(blob));
}
