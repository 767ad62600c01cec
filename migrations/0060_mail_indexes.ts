import { replaceIndexes, type Schema } from './schema/create-table.ts';

// For an outbox of any size: the due mails of each tenant, the mails that wait (`expires_at` is NULL) in their order, and those that
// were given up.
export async function up(schema: Schema): Promise<void> {
  await replaceIndexes(schema, 'mails', {
    add: [{ columns: ['tenant_id', 'next_at'] }, { columns: ['expires_at', 'id', 'tenant_id'] }],
    drop: [['expires_at']],
  });
}
