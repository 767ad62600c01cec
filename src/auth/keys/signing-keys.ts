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
import {
  findSigningKeys,
  insertSigningKey,
  updateVerifiesUntil,
  type KeyChain,
  type StoredSigningKey,
} from './key-store.ts';
import { createSigningKeyCache, type KnownKey } from './signing-key-cache.ts';
import { createSigningKey, type NewSigningKey } from './new-signing-key.ts';

/** The public data of a signing key. */
export interface SigningKeyDescription extends ScheduledKey {
  readonly chain: KeyChain;
  readonly kid: string;
  readonly algorithm: string;
  readonly state: SigningKeyState;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The signing keys of a chain, shared by every process through the database. */
export type SigningKeys = Awaited<ReturnType<typeof createSigningKeys>>;

/** A key that verifies signatures. */
export type PublicKey = Pick<KnownKey, 'kid' | 'algorithm' | 'publicKey'>;

interface SigningKeysOptions {
  readonly database: Database;
  readonly chain: KeyChain;
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
  const { database, chain, encryption, algorithm, longestTokenMs, clock } = options;
  const cache = createSigningKeyCache(options);
  let lookUp = Promise.resolve();
  let lookedUpAt = -Infinity;

  await cache.load();
  if (await addMissingKey(options, cache.keys().at(-1))) await cache.load();

  const findKnown = (kid: string) => cache.keys().find((key) => key.kid === kid);
  const isVerifying = (key: ScheduledKey | undefined) => key !== undefined && verifiesAt(key, clock());

  /** The key that signs now, among those that fulfil a condition. */
  const findSigner = async (isUsable: (key: KnownKey) => boolean): Promise<JwsKey | undefined> => {
    await cache.fresh();
    const usable = cache.keys().filter((key) => key.privateKey !== undefined && isUsable(key));
    const signer = activeSigningKey(usable, clock());
    return signer && { kid: signer.kid, algorithm: signer.algorithm, privateKey: signer.privateKey! };
  };

  const findKept = async (kid: string): Promise<KnownKey | undefined> => {
    await cache.fresh();
    if (!findKnown(kid) && performance.now() - lookedUpAt > LOOKUP_INTERVAL_MS) {
      lookedUpAt = performance.now();
      lookUp = cache.load();
    }
    if (!findKnown(kid)) await lookUp;
    return findKnown(kid);
  };

  return {
    /** Returns the key that signs now. Rejects if there is no usable key. */
    signer: async (): Promise<JwsKey> => (await findSigner(isVerifying)) ?? noSigner(),

    /**
     * Returns the key of an algorithm that signs now, or that is the next to sign. Undefined if no key of the algorithm verifies for
     * `lifetimeMs` from now.
     */
    signerOf: (signs: string, lifetimeMs: number): Promise<JwsKey | undefined> =>
      findSigner((key) => key.algorithm === signs && verifiesAt(key, clock() + lifetimeMs)),

    /**
     * Returns the key with this id if it still verifies. Also finds a key that another process has just created. Rejects
     * if the database must be queried and is unavailable.
     */
    async find(kid: string): Promise<PublicKey | undefined> {
      const found = await findKept(kid);
      return isVerifying(found) ? found : undefined;
    },

    /** As `find`, but returns a key also after the time when it verifies, while its row is kept. */
    findKept: (kid: string): Promise<PublicKey | undefined> => findKept(kid),

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
          .keys()
          .filter(isVerifying)
          .map((key) => key.publicJwk),
      };
    },

    /** The keys in the database that sign or verify, newest first. */
    async list(): Promise<SigningKeyDescription[]> {
      const now = clock();
      const stored = await findSigningKeys(database, chain);
      const listed = stored.filter((key) => verifiesAt(key, now));
      return listed.map((key) => toDescription(chain, key, stored, now)).toReversed();
    },

    /**
     * Creates a key and returns a function that appends it to the schedule within a transaction. Both throw CONFLICT if the
     * newest key does not sign yet, the function also if another process has added a key first.
     */
    async prepareRotation() {
      // A key of RSA takes a tenth of a second of processor time.
      assertCanRotate(await findSigningKeys(database, chain), clock());
      const key = await createSigningKey(encryption, chain, algorithm);
      return async (tx: Statements): Promise<SigningKeyDescription> => {
        const now = clock();
        const stored = await findSigningKeys(tx, chain);
        const newest = assertCanRotate(stored, now);
        const added = await append(tx, chain, key, { newest, now, longestTokenMs });
        if (!added) throw conflict();
        return toDescription(chain, added, [...stored, added], now);
      };
    },

    /** Marks the cached keys as outdated after a committed rotation. This process reads them again at the next use. */
    invalidate: cache.invalidate,
  };
}

/** Returns true if a key was missing and exists now, whichever process created it. */
async function addMissingKey(options: SigningKeysOptions, newest: NewestKey | undefined): Promise<boolean> {
  const { database, chain, encryption, algorithm, longestTokenMs, clock, log } = options;
  if (newest?.algorithm === algorithm) return false;
  const key = await createSigningKey(encryption, chain, algorithm);
  const terms = { newest, now: clock(), longestTokenMs };
  const added = await database.transaction(UNLIMITED, (tx) => append(tx, chain, key, terms));
  if (added) {
    const signsFrom = new Date(added.signsFrom).toISOString();
    // Each new database gets one.
    log[newest ? 'info' : 'debug']({ chain, kid: added.kid, algorithm, signsFrom }, 'signing key created');
  }
  return true;
}

type NewestKey = ScheduledKey & Pick<StoredSigningKey, 'kid' | 'algorithm'>;

/** Appends a key to the schedule; undefined if another process has appended one first. */
async function append(
  tx: Statements,
  chain: KeyChain,
  key: NewSigningKey,
  terms: { readonly newest: NewestKey | undefined; readonly now: number; readonly longestTokenMs: number },
): Promise<StoredSigningKey | undefined> {
  const { newest, now, longestTokenMs } = terms;
  const { link, verifiesUntil } = planRotation(newest, now, longestTokenMs);
  const added = { ...key, ...link, createdAt: now };
  if (!(await insertSigningKey(tx, chain, added))) return undefined;
  if (newest) await updateVerifiesUntil(tx, chain, { kid: newest.kid, verifiesUntil }, now);
  return added;
}

function toDescription(
  chain: KeyChain,
  key: StoredSigningKey,
  schedule: readonly ScheduledKey[],
  now: number,
): SigningKeyDescription {
  const { kid, algorithm, sequence, signsFrom, verifiesUntil, createdAt } = key;
  return { chain, kid, algorithm, sequence, signsFrom, verifiesUntil, createdAt, state: stateAt(schedule, key, now) };
}

/** Returns the newest key. Throws CONFLICT if it does not sign yet. */
function assertCanRotate(stored: readonly StoredSigningKey[], now: number): StoredSigningKey | undefined {
  const newest = stored.at(-1);
  if (newest && stateAt(stored, newest, now) === 'PUBLISHED') throw conflict();
  return newest;
}

function conflict(): ServiceError {
  return new ServiceError('CONFLICT', { publicMessage: 'A signing key is waiting to sign already' });
}

function noSigner(): never {
  throw new Error('there is no usable signing key');
}
