import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/types.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { findOrCreateSecretKey } from './key-store.ts';

const KEY_BYTES = 32;

/** A random key of the deployment by its name, made once and kept sealed in the database. */
export async function loadSecretKey(options: {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  readonly name: string;
  readonly clock: Clock;
}): Promise<Buffer> {
  const { database, encryption, name, clock } = options;
  const context = secretKeyContext(name);
  const sealed = await findOrCreateSecretKey(
    database,
    name,
    () => encryption.seal(randomBytes(KEY_BYTES), context),
    clock(),
  );
  return encryption.open(sealed, context);
}

/** What a secret key is sealed for. */
export function secretKeyContext(name: string): string {
  return `secret-key:${name}`;
}
