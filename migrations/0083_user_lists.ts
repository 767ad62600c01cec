import { addColumn, replaceIndexes, type Schema, type ColumnType } from './schema/create-table.ts';

const never: ColumnType = { mysql: 'BIGINT NOT NULL DEFAULT 0', sqlite: 'INTEGER NOT NULL DEFAULT 0' };

// The last login of an account, 0 before the first one. Indexes for the lists of users by username and by last login, and for those of
// the users that are locked, expired or invited, who are few.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'last_login_at', never);
  await replaceIndexes(schema, 'accounts', {
    add: [
      { columns: ['tenant_id', 'interactive', 'username'] },
      { columns: ['tenant_id', 'interactive', 'last_login_at', 'id'] },
      { columns: ['interactive', 'last_login_at', 'id'] },
      { columns: ['locked_until', 'tenant_id', 'id'], onlyGiven: true },
      { columns: ['account_expires_at', 'tenant_id', 'id'], onlyGiven: true },
      { columns: ['invitation_expires_at', 'tenant_id', 'id'], onlyGiven: true },
    ],
  });
}
