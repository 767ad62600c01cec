import {
  addColumn,
  amount,
  blob,
  bytes,
  bytesKey,
  counter,
  createTable,
  optional,
  type Schema,
  time,
} from './schema/create-table.ts';

// The second factors of accounts. `accounts.factors` lists the methods that an account can use, so that a login without factors
// reads no further table. `factors_version` grows with each change of them, and a login that has read an older version is refused.
//
// The tables of factors have a foreign key, because rows are written rarely and a factor must not outlive its account.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'accounts', 'factors', {
    mysql: "VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''",
    sqlite: "TEXT NOT NULL DEFAULT ''",
  });
  await addColumn(schema, 'accounts', 'factors_version', {
    mysql: 'BIGINT NOT NULL DEFAULT 0',
    sqlite: 'INTEGER NOT NULL DEFAULT 0',
  });
  await createTable(schema, 'account_factors', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      totp_secret: optional(blob),
      totp_created_at: optional(time),
      totp_last_step: optional(amount),
      totp_last_used_at: optional(time),
      pending_totp_secret: optional(blob),
      pending_totp_expires_at: optional(time),
      recovery_created_at: optional(time),
      failed_count: counter,
      first_failed_at: optional(time),
      locked_until: optional(time),
    },
    primaryKey: ['tenant_id', 'account_id'],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
}
