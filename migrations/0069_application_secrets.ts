import { bytes, bytesKey, createTable, optional, type Schema, time } from './schema/create-table.ts';

// Client secrets of applications, as SHA-256. They are deleted with their application.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'application_secrets', {
    columns: {
      tenant_id: bytesKey(63),
      application_id: bytes(16),
      id: bytes(16),
      secret_hash: bytes(32),
      created_at: time,
      expires_at: optional(time),
      last_used_at: optional(time),
    },
    primaryKey: ['tenant_id', 'application_id', 'id'],
    owner: { columns: ['tenant_id', 'application_id'], table: 'applications', key: ['tenant_id', 'id'] },
  });
}
