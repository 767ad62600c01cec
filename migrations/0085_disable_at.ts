import { addColumn, optional, replaceIndexes, type Schema, time } from './schema/create-table.ts';

// When an administrator wants an account to be disabled. NULL after it, and if there is no such time.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'disable_at', optional(time));
  await replaceIndexes(schema, 'accounts', { add: [{ columns: ['disable_at', 'tenant_id', 'id'], onlyGiven: true }] });
}
