import { bytes, bytesKey, createTable, optional, type Schema, time } from './schema/create-table.ts';

// The code is random, so its SHA-256 suffices.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'recovery_codes', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      code_hash: bytes(32),
      created_at: time,
      used_at: optional(time),
    },
    primaryKey: ['tenant_id', 'account_id', 'code_hash'],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
}
