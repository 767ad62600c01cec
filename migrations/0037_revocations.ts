import { addColumn, bytes, bytesKey, createTable, optional, type Schema, text, time } from './schema/create-table.ts';

// One row for each subject: its latest revocation. The time of its change is that of the server's clock. If all sessions of an account
// have ended, the subject is the account, and the row says up to which session.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'revocations', {
    columns: {
      kind: text(16),
      subject: bytesKey(63),
      until_at: time,
      changed_at: time,
      tenant: optional(bytesKey(63)),
      ended_through: optional(bytes(16)),
    },
    primaryKey: ['kind', 'subject'],
    indexes: [['changed_at']],
  });
  await addColumn(schema, 'accounts', 'resource_server', {
    mysql: 'TINYINT NOT NULL DEFAULT 0',
    sqlite: 'INTEGER NOT NULL DEFAULT 0',
  });
}
