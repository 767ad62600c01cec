import {
  bytes,
  bytesKey,
  createTable,
  flag,
  integer,
  longText,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

const application = { application_tenant: bytesKey(63), application_id: bytes(16) };
const authentication = { auth_time: time, amr: text(64) };
const client = { network: text(64), user_agent: optional(text(512)) };

// What an OpenID provider keeps. Ids of requests and codes are secrets, so their SHA-256 is stored. tenant_id is '' for accounts and
// applications without a tenant. A grant of a session is over with the session's row, so the end of a session writes nothing here.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'authorization_requests', {
    columns: {
      id: bytes(32),
      kind: text(8),
      ...application,
      pushed_id: optional(bytes(32)),
      parameters: longText,
      network: text(64),
      requested_at: time,
      expires_at: time,
      used_at: optional(time),
    },
    primaryKey: ['id'],
    indexes: [['network', 'expires_at'], ['expires_at']],
  });
  await createTable(schema, 'authorization_codes', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(32),
      account_id: bytes(16),
      ...application,
      grant_id: bytes(16),
      session_id: bytes(16),
      redirect_uri: longText,
      challenge: optional(text(43)),
      nonce: optional(longText),
      scopes: text(200),
      resource: optional(text(255)),
      ...authentication,
      ...client,
      created_at: time,
      expires_at: time,
      kept_until: time,
      used_at: optional(time),
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['id']],
    indexes: [['tenant_id', 'account_id'], ['kept_until']],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
  await createTable(schema, 'grants', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      account_id: bytes(16),
      ...application,
      session_id: bytes(16),
      offline: flag,
      scopes: text(200),
      resource: optional(text(255)),
      ...authentication,
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
      ...client,
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['id'], ['selector']],
    indexes: [
      ['tenant_id', 'account_id', 'application_id'],
      ['tenant_id', 'session_id'],
      ['application_id'],
      ['idle_expires_at'],
    ],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
  await createTable(schema, 'consents', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      application_id: bytes(16),
      scopes: text(200),
      created_at: time,
      updated_at: time,
    },
    primaryKey: ['tenant_id', 'account_id', 'application_id'],
    indexes: [['application_id']],
    owner: { columns: ['tenant_id', 'account_id'], table: 'accounts', key: ['tenant_id', 'id'] },
  });
}
