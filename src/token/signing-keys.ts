import { createPrivateKey } from 'node:crypto';
import {
  calculateJwkThumbprint,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose';
import { UNLIMITED, type Clock } from '../clock.ts';
import type { Database } from '../db/types.ts';
import type { JwsKey } from './compact-jws.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { activateSigningKey, findSigningKeys, type StoredSigningKey } from './key-store.ts';

export interface VerificationKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** The service's signing keys, shared by every process through the database. */
export interface SigningKeys {
  /** The key that signs now. */
  active(): JwsKey;
  /** The key of this id; one that another process has just made is found too. */
  find(kid: string): Promise<VerificationKey | undefined>;
  /** The public keys as a JSON Web Key Set (RFC 7517 section 5). */
  jsonWebKeySet(): { keys: JWK[] };
}

// A forged kid must not become a query: unknown ids are looked up at most this often.
const RELOAD_INTERVAL_MS = 1_000;

/** Loads the keys, making the first one, or one of the configured algorithm, where there is none. */
export async function openSigningKeys(options: {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  /** ES256, EdDSA or RS256 (RFC 7518 section 3.1, RFC 8037 section 3.1). */
  readonly algorithm: string;
  readonly clock: Clock;
}): Promise<SigningKeys> {
  const { database, encryption, algorithm, clock } = options;
  const known = new Map<string, VerificationKey>();
  let active: JwsKey | undefined;
  let reloading: Promise<void> | undefined;
  let reloadedAt = -Infinity;

  async function load(): Promise<void> {
    for (const stored of await findSigningKeys(database)) {
      if (!known.has(stored.kid)) known.set(stored.kid, await verificationKey(stored));
      if (stored.state === 'ACTIVE' && stored.algorithm === algorithm && active?.kid !== stored.kid) {
        const pkcs8 = encryption.open(stored.sealedPrivateKey, contextOf(stored.kid)).toString();
        active = { kid: stored.kid, algorithm, privateKey: createPrivateKey(pkcs8) };
      }
    }
  }

  await load();
  if (!active) {
    const created = await createSigningKey(encryption, algorithm, clock());
    await activate(database, created);
    await load();
  }
  if (!active) throw new Error(`no signing key for ${algorithm} could be made active`);

  return {
    active: () => active!,
    async find(kid) {
      if (!known.has(kid) && performance.now() - reloadedAt > RELOAD_INTERVAL_MS) {
        reloadedAt = performance.now();
        reloading = load();
      }
      if (!known.has(kid)) await reloading;
      return known.get(kid);
    },
    jsonWebKeySet: () => ({ keys: [...known.values()].map((key) => key.publicJwk) }),
  };
}

function contextOf(kid: string): string {
  return `signing-key:${kid}`;
}

async function verificationKey(stored: StoredSigningKey): Promise<VerificationKey> {
  const publicJwk = JSON.parse(stored.publicJwk) as JWK;
  const publicKey = (await importJWK(publicJwk, stored.algorithm)) as CryptoKey;
  return { kid: stored.kid, algorithm: stored.algorithm, publicKey, publicJwk };
}

async function createSigningKey(
  encryption: KeyEncryption,
  algorithm: string,
  now: number,
): Promise<Omit<StoredSigningKey, 'state'>> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    kid,
    algorithm,
    publicJwk: JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' }),
    sealedPrivateKey: encryption.seal(Buffer.from(await exportPKCS8(pair.privateKey)), contextOf(kid)),
    createdAt: now,
  };
}

async function activate(database: Database, key: Omit<StoredSigningKey, 'state'>): Promise<void> {
  await database.transaction(UNLIMITED, (tx) => activateSigningKey(tx, key));
}
