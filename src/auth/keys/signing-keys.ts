import type { JWK } from 'jose';
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError } from '../../platform/errors.ts';
import type { JwsKey } from './compact-jws.ts';
import {
  activeSigningKey,
  stateAt,
  planReplacement,
  planRotation,
  verifiesAt,
  type ScheduledKey,
  type SigningKeyState,
} from './rotation-schedule.ts';
import type { KeyEncryption } from './key-encryption.ts';
import {
  deleteSigningKey,
  findSigningKeys,
  insertSigningKey,
  signingKeysVersion,
  updateVerifiesUntil,
  type KeyChain,
  type StoredSigningKey,
} from './key-store.ts';
import { createSigningKeyCache, type KnownKey } from './signing-key-cache.ts';
import { createSigningKey, type NewSigningKey } from './new-signing-key.ts';
import { refusal } from '../access/refusals.ts';

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

/** What a revocation leaves. */
export interface RevokedKey {
  /** The key that signs now. */
  readonly signer: SigningKeyDescription;
  /** Whether it was created for the revoked one. */
  readonly replaced: boolean;
}

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
  // Before the keys: a change between both is noticed.
  let noticed = await signingKeysVersion(database, chain);

  await cache.load();
  if (await addMissingKey(options, cache.keys().at(-1))) {
    noticed = await signingKeysVersion(database, chain);
    await cache.load();
  }

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
        if (!added) throw refusal('signingKeyAdded');
        return toDescription(chain, added, [...stored, added], now);
      };
    },

    /**
     * Creates a key and returns a function that revokes another one within a transaction: it is removed, so that no token of it is
     * genuine. If it signed or was to sign, the new key signs at once. The function throws NOT_FOUND if no such key verifies.
     */
    async prepareRevocation(kid: string) {
      const now = clock();
      const before = await findSigningKeys(database, chain);
      const target = before.find((key) => key.kid === kid && verifiesAt(key, now));
      if (!target) return undefined;
      const isReplaced = stateAt(before, target, now) !== 'RETIRED';
      const key = isReplaced ? await createSigningKey(encryption, chain, algorithm) : undefined;
      return async (tx: Statements): Promise<RevokedKey> => {
        const stored = await findSigningKeys(tx, chain);
        if (!(await deleteSigningKey(tx, chain, kid))) throw new ServiceError('NOT_FOUND');
        const left = stored.filter((one) => one.kid !== kid);
        const described = (one: StoredSigningKey, all: readonly StoredSigningKey[]) =>
          toDescription(chain, one, all, now);
        if (!key) return { signer: described(activeSigningKey(left, now)!, left), replaced: false };
        const { link, verifiesUntil } = planReplacement(stored.at(-1)!, now, longestTokenMs);
        const added = { ...key, ...link, createdAt: now };
        if (!(await insertSigningKey(tx, chain, added)))
          throw new DependencyUnavailableError('another signing key was added at the same time');
        // A retired key keeps its end.
        for (const one of left.filter((other) => stateAt(stored, other, now) !== 'RETIRED'))
          await updateVerifiesUntil(tx, chain, { kid: one.kid, verifiesUntil }, now);
        return { signer: described(added, [...left, added]), replaced: true };
      };
    },

    /** How long tokens of a key are accepted at most, in milliseconds. */
    longestTokenMs,

    /** Reads the keys again at the next use if they have changed in the database since the last call. */
    async noticeChanges(): Promise<void> {
      const version = await signingKeysVersion(database, chain);
      if (noticed !== version) cache.invalidate();
      noticed = version;
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
  if (newest && stateAt(stored, newest, now) === 'PUBLISHED')
    throw refusal('signingKeyWaits', { until: new Date(newest.signsFrom).toISOString() });
  return newest;
}

function noSigner(): never {
  throw new Error('there is no usable signing key');
}
