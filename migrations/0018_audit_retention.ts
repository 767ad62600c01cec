import { addIndex, type Schema } from './schema/create-table.ts';

// Index for the cleanup of audit records that are older than app.audit.retention.
export async function up(schema: Schema): Promise<void> {
  await addIndex(schema, 'audit_records', ['at']);
}
