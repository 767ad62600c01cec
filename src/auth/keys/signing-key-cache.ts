// A process's copy of the signing keys. It is read again before use when it is so old that another process may have
// added a key.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CryptoKey, JWK } from 'jose';
import { importJWK } from 'jose/key/import';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { SCHEDULE_MAX_AGE_MS, stateAt, type ScheduledKey } from './rotation-schedule.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { findSigningKeys, type KeyChain, type StoredSigningKey } from './key-store.ts';
import { signingKeyContext } from './new-signing-key.ts';

export interface KnownKey extends ScheduledKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
  readonly publicJwk: JWK;
  /** Undefined if the key stopped signing before this process started, or could not be decrypted. */
  readonly privateKey: KeyObject | undefined;
}

const READ_TIMEOUT_MS = 1_000;
const UP_TO_DATE = Promise.resolve();

export function createSigningKeyCache(options: {
  readonly database: Database;
  readonly chain: KeyChain;
  readonly encryption: KeyEncryption;
  readonly clock: Clock;
  readonly log: Logger;
}) {
  const { database, chain, encryption, clock, log } = options;
  let keys: readonly KnownKey[] = [];
  let readAt = -Infinity;
  let changes = 0;
  let loading: Promise<void> = Promise.resolve();
  let refreshing: Promise<void> | undefined;
  let failedAt = -Infinity;

  async function read(): Promise<void> {
    const at = clock();
    const changesBefore = changes;
    const rows = await findSigningKeys(database, chain);
    // The rows were deleted by hand. The next start creates a new key.
    if (rows.length === 0 && keys.length > 0) throw new Error('the database contains no signing key');
    const known = new Map(keys.map((key) => [key.kid, key]));
    keys = await Promise.all(
      rows.map((row) => knownKey(row, known.get(row.kid), stateAt(rows, row, at) !== 'RETIRED')),
    );
    if (changes === changesBefore) readAt = at;
  }

  async function knownKey(row: StoredSigningKey, before: KnownKey | undefined, signs: boolean): Promise<KnownKey> {
    const { kid, algorithm, sequence, signsFrom, verifiesUntil } = row;
    const publicJwk = before?.publicJwk ?? (JSON.parse(row.publicJwk) as JWK);
    return {
      kid,
      algorithm,
      sequence,
      signsFrom,
      verifiesUntil,
      publicJwk,
      publicKey: before?.publicKey ?? ((await importJWK(publicJwk, algorithm)) as CryptoKey),
      privateKey: before?.privateKey ?? (signs ? decryptPrivateKey(row) : undefined),
    };
  }

  function decryptPrivateKey({ kid, encryptedPrivateKey }: StoredSigningKey): KeyObject | undefined {
    try {
      return createPrivateKey(encryption.decrypt(encryptedPrivateKey, signingKeyContext(chain, kid)).toString());
    } catch (error) {
      log.error({ err: error, kid }, 'signing key cannot be decrypted and will not sign in this process');
      return undefined;
    }
  }

  // Reads run one at a time, so that an earlier result never replaces a later one.
  const load = () => (loading = loading.then(read, read));

  async function refresh(): Promise<void> {
    try {
      await load();
    } catch (error) {
      failedAt = clock();
      log.warn({ err: error }, 'signing keys could not be read, the cached ones stay in use');
    } finally {
      refreshing = undefined;
    }
  }

  async function renew(): Promise<void> {
    if (!refreshing && Math.abs(clock() - failedAt) > READ_TIMEOUT_MS) refreshing = refresh();
    if (refreshing) await Promise.race([refreshing, sleep(READ_TIMEOUT_MS, undefined, { ref: false })]);
  }

  return {
    /** The cached keys, in the order of the rotation schedule. */
    keys: () => keys,
    /** Reads the keys from the database. Rejects if the database does. */
    load,
    /** Marks the copy as outdated after a change. */
    invalidate() {
      changes += 1;
      readAt = -Infinity;
    },
    /**
     * Resolves when the copy is up to date. Never rejects: if the database does not respond within a second, the old copy
     * stays in use.
     */
    fresh(): Promise<void> {
      // If the clock was set back, the age is unknown.
      return Math.abs(clock() - readAt) <= SCHEDULE_MAX_AGE_MS ? UP_TO_DATE : renew();
    },
  };
}
