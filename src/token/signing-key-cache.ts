// What a process knows of the chain. It is read anew before it is used at an age at which others may have made a key.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/types.ts';
import { KNOWLEDGE_MAX_AGE_MS, stateAt, type ScheduledKey } from './rotation-schedule.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { findSigningKeys, type StoredSigningKey } from './key-store.ts';
import { signingKeyContext } from './new-signing-key.ts';

export interface KnownKey extends ScheduledKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
  readonly publicJwk: JWK;
  /** Undefined where it had signed before this process began, or could not be opened. */
  readonly privateKey: KeyObject | undefined;
}

export interface KnownKeys {
  /** In the order of the chain, as far as is known. */
  chain(): readonly KnownKey[];
  /**
   * Resolves once the knowledge is fresh, never rejects: where the database does not answer within a second, what is known
   * goes on serving.
   */
  fresh(): Promise<void>;
  /** Reads the chain from the database. Rejects like it. */
  load(): Promise<void>;
  /** Tells of a change: what was read before it is not fresh any more. */
  outdate(): void;
}

const PATIENCE_MS = 1_000;

export function createKnownKeys(options: {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  readonly clock: Clock;
  readonly log: Logger;
}): KnownKeys {
  const { database, encryption, clock, log } = options;
  let chain: readonly KnownKey[] = [];
  let readAt = -Infinity;
  let changes = 0;
  let loading: Promise<void> = Promise.resolve();
  let refreshing: Promise<void> | undefined;
  let failedAt = -Infinity;

  async function read(): Promise<void> {
    const at = clock();
    const changesBefore = changes;
    const rows = await findSigningKeys(database);
    // Somebody has removed them, and the next start makes a new one.
    if (rows.length === 0 && chain.length > 0) throw new Error('the database holds no signing key');
    const known = new Map(chain.map((key) => [key.kid, key]));
    chain = await Promise.all(
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
      privateKey: before?.privateKey ?? (signs ? opened(row) : undefined),
    };
  }

  function opened({ kid, sealedPrivateKey }: StoredSigningKey): KeyObject | undefined {
    try {
      return createPrivateKey(encryption.open(sealedPrivateKey, signingKeyContext(kid)).toString());
    } catch (error) {
      log.error({ err: error, kid }, 'a signing key cannot be opened and will not sign here');
      return undefined;
    }
  }

  // One after the other: an earlier reading must not replace a later one.
  const load = () => (loading = loading.then(read, read));

  async function refresh(): Promise<void> {
    try {
      await load();
    } catch (error) {
      failedAt = clock();
      log.warn({ err: error }, 'the signing keys could not be read, those that are known go on serving');
    } finally {
      refreshing = undefined;
    }
  }

  return {
    chain: () => chain,
    load,
    outdate() {
      changes += 1;
      readAt = -Infinity;
    },
    async fresh() {
      // A clock that was set back says nothing of the age.
      if (Math.abs(clock() - readAt) <= KNOWLEDGE_MAX_AGE_MS) return;
      if (!refreshing && Math.abs(clock() - failedAt) > PATIENCE_MS) refreshing = refresh();
      if (refreshing) await Promise.race([refreshing, sleep(PATIENCE_MS, undefined, { ref: false })]);
    },
  };
}
