import { bytes, bytesKey, createTable, text, time, type Schema } from './schema/create-table.ts';

// The scopes that users have allowed applications. tenant_id is '' for accounts without a tenant.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'consents', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      application_id: bytes(16),
      id: bytes(16),
      scopes: text(200),
      created_at: time,
      updated_at: time,
    },
    primaryKey: ['tenant_id', 'account_id', 'application_id'],
    indexes: [['application_id']],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
}
