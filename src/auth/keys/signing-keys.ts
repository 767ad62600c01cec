import type { JWK } from 'jose';
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
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
import { createSigningKeyCache, type KnownKey } from './signing-key-cache.ts';
import { createSigningKey, type NewSigningKey } from './new-signing-key.ts';

/** The public data of a signing key. */
export interface SigningKeyDescription extends ScheduledKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly state: SigningKeyState;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The service's signing keys, shared by every process through the database. */
export type SigningKeys = Awaited<ReturnType<typeof createSigningKeys>>;

interface SigningKeysOptions {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  /** ES256, EdDSA or RS256 (RFC 7518 section 3.1, RFC 8037 section 3.1). */
  readonly algorithm: string;
  /** The longest lifetime of a token in milliseconds. A key verifies this long after its last signature. */
  readonly longestTokenMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

// A forged kid must not cause a query for each request. Unknown ids are looked up at most once in this interval.
const LOOKUP_INTERVAL_MS = 1_000;

/** Loads the keys. Creates the first key, or a successor if the newest key has another algorithm than configured. */
export async function createSigningKeys(options: SigningKeysOptions) {
  const { database, encryption, algorithm, longestTokenMs, clock } = options;
  const cache = createSigningKeyCache(options);
  let lookUp = Promise.resolve();
  let lookedUpAt = -Infinity;

  await cache.load();
  if (await addMissingKey(options, cache.chain().at(-1))) await cache.load();

  const findKnown = (kid: string) => cache.chain().find((key) => key.kid === kid);
  const isVerifying = (key: ScheduledKey | undefined) => key !== undefined && verifiesAt(key, clock());

  return {
    /** Returns the key that signs now. Rejects if there is no usable key. */
    async signer(): Promise<JwsKey> {
      await cache.fresh();
      const usable = cache.chain().filter((key) => key.privateKey !== undefined && isVerifying(key));
      const { kid, algorithm: signed, privateKey } = activeSigningKey(usable, clock()) ?? noSigner();
      return { kid, algorithm: signed, privateKey: privateKey! };
    },

    /**
     * Returns the key with this id if it still verifies. Also finds a key that another process has just created. Rejects
     * if the database must be queried and is unavailable.
     */
    async find(kid: string): Promise<Pick<KnownKey, 'kid' | 'algorithm' | 'publicKey'> | undefined> {
      await cache.fresh();
      if (!findKnown(kid) && performance.now() - lookedUpAt > LOOKUP_INTERVAL_MS) {
        lookedUpAt = performance.now();
        lookUp = cache.load();
      }
      if (!findKnown(kid)) await lookUp;
      const found = findKnown(kid);
      return isVerifying(found) ? found : undefined;
    },

    /** Whether tokens signed by this key are still accepted, by the cached schedule. */
    verifies(kid: string): boolean {
      void cache.fresh();
      return isVerifying(findKnown(kid));
    },

    /** The public keys as a JSON Web Key Set (RFC 7517 section 5). */
    async jsonWebKeySet(): Promise<{ keys: JWK[] }> {
      await cache.fresh();
      return {
        keys: cache
          .chain()
          .filter(isVerifying)
          .map((key) => key.publicJwk),
      };
    },

    /** All keys in the database, newest first. */
    async list(): Promise<SigningKeyDescription[]> {
      const now = clock();
      const chain = await findSigningKeys(database);
      return chain.map((key) => toDescription(key, chain, now)).toReversed();
    },

    /**
     * Creates a key and returns a function that appends it to the schedule within a transaction. That function throws
     * CONFLICT if the newest key does not sign yet, or if another process has added a key first.
     */
    async prepareRotation() {
      const key = await createSigningKey(encryption, algorithm);
      return async (tx: Statements): Promise<SigningKeyDescription> => {
        const now = clock();
        const chain = await findSigningKeys(tx);
        const newest = chain.at(-1);
        if (newest && stateAt(chain, newest, now) === 'PUBLISHED') throw conflict();
        const added = await append(tx, key, { newest, now, longestTokenMs });
        if (!added) throw conflict();
        return toDescription(added, [...chain, added], now);
      };
    },

    /** Marks the cached keys as outdated after a committed rotation. This process reads them again at the next use. */
    invalidate: cache.invalidate,
  };
}

/** Returns true if a key was missing and exists now, whichever process created it. */
async function addMissingKey(options: SigningKeysOptions, newest: NewestKey | undefined): Promise<boolean> {
  const { database, encryption, algorithm, longestTokenMs, clock, log } = options;
  if (newest?.algorithm === algorithm) return false;
  const key = await createSigningKey(encryption, algorithm);
  const terms = { newest, now: clock(), longestTokenMs };
  const added = await database.transaction(UNLIMITED, (tx) => append(tx, key, terms));
  if (added) {
    const signsFrom = new Date(added.signsFrom).toISOString();
    // Each new database gets one.
    log[newest ? 'info' : 'debug']({ kid: added.kid, algorithm, signsFrom }, 'signing key created');
  }
  return true;
}

type NewestKey = ScheduledKey & Pick<StoredSigningKey, 'kid' | 'algorithm'>;

/** Appends a key to the schedule; undefined if another process has appended one first. */
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

function toDescription(key: StoredSigningKey, chain: readonly ScheduledKey[], now: number): SigningKeyDescription {
  const { kid, algorithm, sequence, signsFrom, verifiesUntil, createdAt } = key;
  return { kid, algorithm, sequence, signsFrom, verifiesUntil, createdAt, state: stateAt(chain, key, now) };
}

function conflict(): ServiceError {
  return new ServiceError('CONFLICT', { publicMessage: 'A signing key is waiting to sign already' });
}

function noSigner(): never {
  throw new Error('there is no usable signing key');
}
