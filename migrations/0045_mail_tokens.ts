import { bytes, bytesKey, createTable, type Schema, text, time } from './schema/create-table.ts';

// Tokens that are sent by mail: one for each account and purpose, so that only the newest is valid. As in `mails`, the tenant `.` holds
// those of requests for no account.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'mail_tokens', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      purpose: text(16),
      token_hash: bytes(32),
      expires_at: time,
    },
    primaryKey: ['tenant_id', 'account_id', 'purpose'],
    unique: [['token_hash']],
    indexes: [['expires_at']],
  });
}
