import {
  addColumn,
  bytes,
  bytesKey,
  createTable,
  optional,
  replaceIndexes,
  time,
  type Schema,
} from './schema/create-table.ts';

// From where accounts have logged in, so that a login says whether it is a known client: `client` is a hash of the network and the kind of
// browser, and tenant_id is '' for accounts without a tenant. The address of a session as 16 bytes, for the filter of the list; NULL in
// sessions of the previous release. Sessions of accounts that were deleted before end now.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'login_clients', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      client: bytes(16),
      first_at: time,
      last_at: time,
    },
    primaryKey: ['tenant_id', 'account_id', 'client'],
    indexes: [['last_at']],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
  await addColumn(schema, 'session_families', 'address', optional(bytesKey(16)));
  await replaceIndexes(schema, 'session_families', {
    add: [{ columns: ['address', 'id', 'tenant_id'], onlyGiven: true }],
  });
  await schema.execute(
    `UPDATE session_families SET revoked_at = refreshed_at, revoked_reason = 'account-changed'
      WHERE revoked_at IS NULL AND NOT EXISTS
        (SELECT 1 FROM accounts a WHERE a.tenant_id = session_families.tenant_id AND a.id = session_families.account_id)`,
  );
}
