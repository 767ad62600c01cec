import { replaceIndexes, type Schema } from './schema/create-table.ts';

// Each filter of the lists of audit records, in the order of the lists. The event and the tenant at an end are read from the
// index, without the row. The index that begins with `at` is also the cleanup's. Few records have an actor.
export async function up(schema: Schema): Promise<void> {
  await replaceIndexes(schema, 'audit_records', {
    add: [
      { columns: ['at', 'id'] },
      { columns: ['event', 'at', 'id'] },
      { columns: ['tenant_id', 'at', 'id'] },
      { columns: ['tenant_id', 'event', 'at', 'id'] },
      { columns: ['tenant_id', 'account_id', 'at', 'id', 'event'] },
      { columns: ['actor_id', 'at', 'id', 'tenant_id'], onlyGiven: true },
    ],
    drop: [['id'], ['at'], ['tenant_id', 'account_id', 'id'], ['tenant_id', 'actor_id', 'id']],
  });
}
