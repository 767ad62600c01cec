import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { findOrCreateSecretKey } from './key-store.ts';

const KEY_BYTES = 32;

/** Loads a random key of the deployment by its name. Creates it once; it is stored encrypted in the database. */
export async function loadSecretKey(options: {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  readonly name: string;
  readonly clock: Clock;
}): Promise<Buffer> {
  const { database, encryption, name, clock } = options;
  const context = secretKeyContext(name);
  const encrypted = await findOrCreateSecretKey(
    database,
    name,
    () => encryption.encrypt(randomBytes(KEY_BYTES), context),
    clock(),
  );
  return encryption.decrypt(encrypted, context);
}

/** The encryption context of a secret key. */
export function secretKeyContext(name: string): string {
  return `secret-key:${name}`;
}
