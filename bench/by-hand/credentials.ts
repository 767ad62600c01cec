// Hand-written checks of access tokens and client secrets, for these endpoints only.
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { Row, Store } from './store.ts';

/** A public key of the service's key set. */
export type Jwk = Readonly<Record<string, string>>;

export interface Claims {
  readonly sub: string;
  readonly sid: string;
  readonly tenantId: string;
  readonly exp: number;
}

const ACCOUNT = `SELECT a.id, a.tenant_id, a.username, a.name, a.email, a.roles, a.disabled, a.created_at, t.status
   FROM accounts a JOIN tenants t ON t.id = a.tenant_id WHERE a.tenant_id = ? AND a.id = ?`;

/** Creates the check of a bearer token: signature (once per token), blacklist, account and tenant. */
export function createBearer(store: Store, jwk: Jwk) {
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const known = new Map<string, Claims>();

  function claimsOf(token: string): Claims | undefined {
    const found = known.get(token);
    if (found !== undefined) return found;
    const [header = '', payload = '', signature = ''] = token.split('.');
    const isGood = verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    if (!isGood) return undefined;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    if (known.size > 10_000) known.clear();
    known.set(token, claims);
    return claims;
  }

  return async (authorization = ''): Promise<Row | undefined> => {
    const claims = claimsOf(authorization.replace('Bearer ', ''));
    if (claims === undefined || claims.exp < Date.now() / 1000) return undefined;
    const [revoked, accounts] = await Promise.all([
      store.all('SELECT id FROM token_blacklist WHERE id = ?', [bytesOf(claims.sid)]),
      store.all(ACCOUNT, [Buffer.from(claims.tenantId), bytesOf(claims.sub)]),
    ]);
    const [account] = accounts;
    return revoked.length > 0 || account?.['disabled'] !== 0 || account['status'] !== 'ACTIVE' ? undefined : account;
  };
}

const CLIENT = `SELECT a.id, a.tenant_id, a.username, a.roles, a.disabled, t.status, s.id AS secret_id, s.secret_hash, s.expires_at
   FROM accounts a JOIN tenants t ON t.id = a.tenant_id
   JOIN client_secrets s ON s.tenant_id = a.tenant_id AND s.account_id = a.id WHERE a.username = ?`;
const AUDIT = `INSERT INTO audit_records (tenant_id, id, at, event, account_id, username, actor_id, client_address, request_id,
   details) VALUES (?, ?, ?, 'client.authenticated', ?, ?, NULL, ?, ?, ?)`;
const LIFETIME_S = 300;

/** Creates the client credentials grant: checks account and secret, writes a durable audit record, and signs a token. */
export function createGrant(store: Store) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = base64url({ alg: 'ES256', typ: 'at+jwt', kid: 'by-hand' });

  return async (clientId: string, secret: string, address: string): Promise<string | undefined> => {
    const presented = createHash('sha256').update(secret).digest();
    const found = await store.all(CLIENT, [Buffer.from(clientId)]);
    const now = Date.now();
    const client = found.find(
      (row) =>
        timingSafeEqual(row['secret_hash'] as Uint8Array, presented) &&
        (row['expires_at'] === null || (row['expires_at'] as number) > now),
    );
    if (client === undefined || client['disabled'] !== 0 || client['status'] !== 'ACTIVE') return undefined;
    const id = idOf(client['id'] as Uint8Array);
    const tenant = client['tenant_id'] as Uint8Array;
    const details = JSON.stringify({ secretId: idOf(client['secret_id'] as Uint8Array) });
    await store.run(AUDIT, [
      tenant,
      bytesOf(randomUUID()),
      now,
      client['id']!,
      clientId,
      address,
      randomUUID(),
      details,
    ]);
    const iat = Math.floor(now / 1000);
    const payload = base64url({
      sub: id,
      client_id: clientId,
      tenantId: Buffer.from(tenant).toString(),
      roles: (client['roles'] as string).split(',').map((role) => `ROLE_${role}`),
      iss: 'bench',
      aud: 'bench',
      iat,
      exp: iat + LIFETIME_S,
      jti: randomUUID(),
    });
    const signature = sign('sha256', Buffer.from(`${header}.${payload}`), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return `${header}.${payload}.${signature.toString('base64url')}`;
  };
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

export function idOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
