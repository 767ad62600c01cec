import {
  bytes,
  bytesKey,
  createTable,
  flag,
  integer,
  optional,
  text,
  time,
  type Schema,
} from './schema/create-table.ts';

// What applications may do for users. tenant_id is '' for accounts and applications without a tenant. A grant of a session is over with
// the session's row, so the end of a session writes nothing here.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'grants', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      account_id: bytes(16),
      application_tenant: bytesKey(63),
      application_id: bytes(16),
      session_id: bytes(16),
      offline: flag,
      scopes: text(200),
      resource: optional(text(255)),
      auth_time: time,
      amr: text(64),
      selector: bytes(16),
      generation: integer,
      rotated_at: optional(time),
      step_scopes: text(200),
      previous_step_scopes: text(200),
      created_at: time,
      last_used_at: time,
      idle_expires_at: time,
      access_expires_at: time,
      revoked_at: optional(time),
      revoked_reason: optional(text(32)),
      network: text(64),
      user_agent: optional(text(512)),
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['id'], ['selector']],
    indexes: [
      ['tenant_id', 'account_id', 'application_id'],
      ['tenant_id', 'session_id'],
      ['application_id', 'access_expires_at'],
      ['idle_expires_at'],
    ],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
}
