import { bytes, bytesKey, createTable, integer, optional, type Schema, time } from './schema/create-table.ts';

export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'job_leases', {
    columns: {
      name: bytesKey(64),
      holder: bytes(16),
      expires_at: time,
      last_run_at: optional(time),
      last_count: optional(integer),
    },
    primaryKey: ['name'],
  });
}
