import { addColumn, bytes, optional, type Schema } from './schema/create-table.ts';

// The session that has begun an enrolment, which only that session can confirm.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'account_factors', 'pending_totp_session_id', optional(bytes(16)));
}
