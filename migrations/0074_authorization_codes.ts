import { bytes, bytesKey, createTable, longText, optional, text, time, type Schema } from './schema/create-table.ts';

// Codes are secrets, so their SHA-256 is stored as their id. Those of devices have no redirect URI. tenant_id is '' for accounts without a tenant.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'authorization_codes', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(32),
      account_id: bytes(16),
      application_tenant: bytesKey(63),
      application_id: bytes(16),
      grant_id: bytes(16),
      session_id: bytes(16),
      consent_id: optional(bytes(16)),
      redirect_uri: optional(longText),
      challenge: optional(text(43)),
      nonce: optional(longText),
      scopes: text(200),
      resource: optional(text(255)),
      auth_time: time,
      amr: text(64),
      network: text(64),
      user_agent: optional(text(512)),
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
}
