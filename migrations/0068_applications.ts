import {
  amount,
  blob,
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

// Applications that log in users, with the tenant_id '' for those that serve all tenants. The lists of URIs, scopes and resources, and the
// keys, are JSON. Durations are in seconds.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'applications', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      client_id: bytesKey(100),
      type: text(8),
      name: text(200),
      redirect_uris: longText,
      post_logout_redirect_uris: longText,
      backchannel_logout_uri: optional(text(2000)),
      home_url: optional(text(2000)),
      logo: optional(blob),
      scopes: text(200),
      resources: longText,
      first_party: flag,
      require_pkce: flag,
      require_par: flag,
      jwks: optional(longText),
      id_token_algorithm: text(8),
      id_token_claims: flag,
      username_form: text(16),
      required_permission: optional(text(64)),
      required_acr: optional(text(8)),
      device_grant: flag,
      access_token_ttl: integer,
      refresh_token_idle: integer,
      refresh_token_lifetime: integer,
      disabled: flag,
      created_at: time,
      updated_at: time,
      version: amount,
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['id'], ['client_id']],
  });
}
