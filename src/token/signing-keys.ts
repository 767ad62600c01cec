import type { CryptoKey, JWK } from 'jose';
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../clock.ts';
import type { Database, Statements } from '../db/types.ts';
import { ServiceError } from '../errors.ts';
import type { JwsKey } from './compact-jws.ts';
import {
  activeSigningKey,
  stateAt,
  planRotation,
  verifiesAt,
  type ScheduledKey,
  type SigningKeyState,
} from './rotation-schedule.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { findSigningKeys, insertSigningKey, updateVerifiesUntil, type StoredSigningKey } from './key-store.ts';
import { createKnownKeys } from './signing-key-cache.ts';
import { createSigningKey, type NewSigningKey } from './new-signing-key.ts';

export interface VerificationKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
}

/** What may be told of a signing key. */
export interface SigningKeyDescription extends ScheduledKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly state: SigningKeyState;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The service's signing keys, shared by every process through the database. */
export interface SigningKeys {
  /** The key that signs now. Rejects where there is none whose tokens would count. */
  signer(): Promise<JwsKey>;
  /**
   * The key of this id, as long as it verifies; one that another process has just made is found too. Rejects like the
   * database where that must be asked and does not answer.
   */
  find(kid: string): Promise<VerificationKey | undefined>;
  /** Whether tokens of this key still count, as far as is known at the moment. */
  verifies(kid: string): boolean;
  /** The public keys as a JSON Web Key Set (RFC 7517 section 5). */
  jsonWebKeySet(): Promise<{ keys: JWK[] }>;
  /** All keys as the database has them, newest first. */
  list(): Promise<SigningKeyDescription[]>;
  /**
   * Makes a key, and returns what puts it at the end of the chain, within a transaction. That throws CONFLICT while the
   * newest key waits to sign, or where another process was faster.
   */
  prepareRotation(): Promise<(tx: Statements) => Promise<SigningKeyDescription>>;
  /** Tells of a rotation that was committed, so that this process learns of it with the next use of the keys. */
  outdate(): void;
}

export interface SigningKeysOptions {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  /** ES256, EdDSA or RS256 (RFC 7518 section 3.1, RFC 8037 section 3.1). */
  readonly algorithm: string;
  /** The longest life of a token in milliseconds: how long a key verifies after its last signature. */
  readonly longestTokenMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

// A forged kid must not become a query: unknown ids are looked up at most this often.
const LOOK_UP_INTERVAL_MS = 1_000;

/** Loads the keys, making the first one, or one of the configured algorithm to follow, where there is none. */
export async function createSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const { database, encryption, algorithm, longestTokenMs, clock } = options;
  const known = createKnownKeys(options);
  let lookUp = Promise.resolve();
  let lookedUpAt = -Infinity;

  await known.load();
  if (await addMissingKey(options, known.chain().at(-1))) await known.load();

  const findKnown = (kid: string) => known.chain().find((key) => key.kid === kid);
  const isVerifying = (key: ScheduledKey | undefined) => key !== undefined && verifiesAt(key, clock());

  return {
    async signer() {
      await known.fresh();
      const usable = known.chain().filter((key) => key.privateKey !== undefined && isVerifying(key));
      const { kid, algorithm: signed, privateKey } = activeSigningKey(usable, clock()) ?? noSigner();
      return { kid, algorithm: signed, privateKey: privateKey! };
    },

    async find(kid) {
      await known.fresh();
      if (!findKnown(kid) && performance.now() - lookedUpAt > LOOK_UP_INTERVAL_MS) {
        lookedUpAt = performance.now();
        lookUp = known.load();
      }
      if (!findKnown(kid)) await lookUp;
      const found = findKnown(kid);
      return isVerifying(found) ? found : undefined;
    },

    verifies(kid) {
      void known.fresh();
      return isVerifying(findKnown(kid));
    },

    async jsonWebKeySet() {
      await known.fresh();
      return {
        keys: known
          .chain()
          .filter(isVerifying)
          .map((key) => key.publicJwk),
      };
    },

    async list() {
      const now = clock();
      const chain = await findSigningKeys(database);
      return chain.map((key) => described(key, chain, now)).toReversed();
    },

    async prepareRotation() {
      const key = await createSigningKey(encryption, algorithm);
      return async (tx) => {
        const now = clock();
        const chain = await findSigningKeys(tx);
        const newest = chain.at(-1);
        if (newest && stateAt(chain, newest, now) === 'PUBLISHED') throw conflict();
        const added = await append(tx, key, { newest, now, longestTokenMs });
        if (!added) throw conflict();
        return described(added, [...chain, added], now);
      };
    },

    outdate: known.outdate,
  };
}

/** True where the chain lacked a key that it has now, whoever made it. */
async function addMissingKey(options: SigningKeysOptions, newest: NewestKey | undefined): Promise<boolean> {
  const { database, encryption, algorithm, longestTokenMs, clock, log } = options;
  if (newest?.algorithm === algorithm) return false;
  const key = await createSigningKey(encryption, algorithm);
  const terms = { newest, now: clock(), longestTokenMs };
  const added = await database.transaction(UNLIMITED, (tx) => append(tx, key, terms));
  if (added) {
    const signsFrom = new Date(added.signsFrom).toISOString();
    log.info({ kid: added.kid, algorithm, signsFrom }, 'a signing key was made');
  }
  return true;
}

type NewestKey = ScheduledKey & Pick<StoredSigningKey, 'kid' | 'algorithm'>;

/** Puts a key behind the newest one; undefined where another process has put one there. */
async function append(
  tx: Statements,
  key: NewSigningKey,
  terms: { readonly newest: NewestKey | undefined; readonly now: number; readonly longestTokenMs: number },
): Promise<StoredSigningKey | undefined> {
  const { newest, now, longestTokenMs } = terms;
  const { link, verifiesUntil } = planRotation(newest, now, longestTokenMs);
  const added = { ...key, ...link, createdAt: now };
  if (!(await insertSigningKey(tx, added))) return undefined;
  if (newest) await updateVerifiesUntil(tx, newest.kid, verifiesUntil, now);
  return added;
}

function described(key: StoredSigningKey, chain: readonly ScheduledKey[], now: number): SigningKeyDescription {
  const { kid, algorithm, sequence, signsFrom, verifiesUntil, createdAt } = key;
  return { kid, algorithm, sequence, signsFrom, verifiesUntil, createdAt, state: stateAt(chain, key, now) };
}

function conflict(): ServiceError {
  return new ServiceError('CONFLICT', { publicMessage: 'A signing key is waiting to sign already' });
}

function noSigner(): never {
  throw new Error('there is no signing key that could be used');
}
