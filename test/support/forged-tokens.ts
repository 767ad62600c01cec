// Hand-made JWTs (RFC 7519), signed with the deployment's key, with another key, or unsigned.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  type KeyObject,
} from 'node:crypto';
import type { Account } from '../../src/auth/access/account.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { findSigningKeys } from '../../src/auth/keys/key-store.ts';
import { type Deployment } from './deployment.ts';
import { TEST_KEY_ENCRYPTION_KEY } from './key-encryption-key.ts';
import { flattenRoles } from '../../src/auth/access/roles/rights.ts';

/** Encodes a part of a token. Texts and bytes are used unchanged, other values as JSON. */
type Part = unknown;

export interface TokenForge {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly publicJwk: string;
  /** The claims that the deployment would issue for the account now. */
  claims(changes?: Record<string, unknown>): Record<string, unknown>;
  /** The header that the deployment writes. */
  header(changes?: Record<string, unknown>): Record<string, unknown>;
  /** Signs with the deployment's ES256 key, independent of the header. */
  signed(payload: Part, header?: Part): string;
  /** Signs with an unknown key. */
  resigned(payload: Part, header?: Part): string;
  /** The public JWK of that key. */
  readonly foreignJwk: Record<string, unknown>;
}

const FOREIGN = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Creates tokens of an account's session with the deployment's key, read from the database. */
export async function tokenForge(
  { database, clock }: Pick<Deployment, 'database' | 'clock'>,
  account: Pick<Account, 'id' | 'tenantId' | 'roles'>,
  sid: string,
): Promise<TokenForge> {
  const [stored] = await findSigningKeys(database, 'ACCESS');
  const { kid, publicJwk, encryptedPrivateKey } = stored!;
  const privateKey = createPrivateKey(
    createKeyEncryption(TEST_KEY_ENCRYPTION_KEY).decrypt(encryptedPrivateKey, `signing-key:${kid}`),
  );
  const iat = Math.floor(clock.now() / 1000);
  const { id: sub, tenantId, roles } = account;
  const header = (changes: Record<string, unknown> = {}) => ({ alg: 'ES256', typ: 'at+jwt', kid, ...changes });
  return {
    kid,
    publicJwk,
    publicKey: createPublicKey(privateKey),
    claims: (changes = {}) => ({
      sub,
      tenantId,
      roles: flattenRoles(roles).map((role) => `ROLE_${role}`),
      sid,
      iss: 'my-shop',
      aud: 'my-shop',
      iat,
      exp: iat + 900,
      jti: randomUUID(),
      ...changes,
    }),
    header,
    signed: (payload, own = header()) => es256(own, payload, privateKey),
    resigned: (payload, own = header()) => es256(own, payload, FOREIGN.privateKey),
    foreignJwk: FOREIGN.publicKey.export({ format: 'jwk' }) as Record<string, unknown>,
  };
}

/** RFC 7515 section 3.1, without a signature. */
export function unsigned(header: Part, payload: Part): string {
  return `${encoded(header)}.${encoded(payload)}.`;
}

/** Signs with a shared secret (RFC 7518 section 3.2). */
export function hs256(header: Part, payload: Part, secret: string | Buffer): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

/** Returns another text for the same bytes, by changing an unused bit of the last base64url character. */
export function otherSpelling(text: string): string {
  return text.slice(0, -1) + BASE64URL[BASE64URL.indexOf(text.at(-1)!) ^ 1]!;
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function es256(header: Part, payload: Part, key: KeyObject): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function encoded(part: Part): string {
  const bytes = Buffer.isBuffer(part) ? part : Buffer.from(typeof part === 'string' ? part : JSON.stringify(part));
  return bytes.toString('base64url');
}
