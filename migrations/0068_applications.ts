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

// Applications that log in users, with the tenant_id '' for those that serve all tenants. `name_key` is the client id in lower case, as
// usernames are. The lists of URIs, scopes and resources, and the keys, are JSON. Durations are in seconds. The command line of the service
// is an application, too: src/auth/oauth/applications/command-line.ts.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'applications', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      client_id: bytesKey(100),
      name_key: bytesKey(100),
      type: text(8),
      name: text(200),
      redirect_uris: longText,
      post_logout_redirect_uris: longText,
      backchannel_logout_uri: optional(text(2000)),
      home_url: optional(text(2000)),
      logo: optional(blob),
      scopes: text(200),
      resources: longText,
      has_resources: flag,
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
    unique: [['id'], ['name_key']],
    indexes: [['has_resources']],
  });
  await insertCommandLine(schema);
}

async function insertCommandLine(schema: Schema): Promise<void> {
  const id = Buffer.from('00000000000070008000000000000001', 'hex');
  const rows = await schema.query('SELECT id FROM applications WHERE id = ?', [id]);
  if (rows.length > 0) return;
  const name = Buffer.from('authservice-cli');
  const now = Date.now();
  const row = {
    tenant_id: Buffer.alloc(0),
    id,
    client_id: name,
    name_key: name,
    type: 'NATIVE',
    name: 'Authservice CLI',
    redirect_uris: '["http://127.0.0.1/callback"]',
    post_logout_redirect_uris: '[]',
    scopes: 'openid profile email roles groups tenant offline_access',
    resources: '[]',
    has_resources: 0,
    first_party: 1,
    require_pkce: 1,
    require_par: 0,
    id_token_algorithm: 'RS256',
    id_token_claims: 1,
    username_form: 'FULL',
    device_grant: 1,
    access_token_ttl: 900,
    refresh_token_idle: 2_592_000,
    refresh_token_lifetime: 7_776_000,
    disabled: 0,
    created_at: now,
    updated_at: now,
    version: 1,
  };
  const marks = Object.keys(row).fill('?').join(', ');
  await schema.execute(
    `INSERT INTO applications (${Object.keys(row).join(', ')}) VALUES (${marks})`,
    Object.values(row),
  );
}
