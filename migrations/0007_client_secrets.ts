import { bytes, bytesKey, createTable, optional, type Schema, time } from './schema/create-table.ts';

// With a foreign key, because rows are written rarely and a secret must not outlive its account.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'client_secrets', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      id: bytes(16),
      secret_hash: bytes(32),
      created_at: time,
      expires_at: optional(time),
      last_used_at: optional(time),
    },
    primaryKey: ['tenant_id', 'account_id', 'id'],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
}
