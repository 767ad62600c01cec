import { addColumn, optional, type Schema, time } from './schema/create-table.ts';

// Until when the user can accept the invitation. NULL if the user was not invited or has accepted.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'invitation_expires_at', optional(time));
}
