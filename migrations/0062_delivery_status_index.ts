import { addIndex, type Schema } from './schema/create-table.ts';

// For lists of the deliveries of a webhook with one status, newest first. Few may have failed of millions.
export async function up(schema: Schema): Promise<void> {
  await addIndex(schema, 'webhook_deliveries', ['tenant_id', 'webhook_id', 'status', 'id']);
}
