import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { KeyEncryption } from './key-encryption.ts';
import {
  findOrCreateSecretKey,
  findSecretKeys,
  findSigningKeys,
  KEY_CHAINS,
  replaceEncryptedPrivateKey,
  replaceEncryptedSecret,
} from './key-store.ts';
import { signingKeyContext } from './new-signing-key.ts';

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

/**
 * Encrypts with the current key-encryption key all keys that are encrypted with another one. Throws and changes nothing
 * if a stored key cannot be decrypted with any of them.
 */
export async function reencryptKeys(options: {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  readonly log: Logger;
}): Promise<void> {
  const { database, encryption, log } = options;
  const replacements: (() => Promise<boolean>)[] = [];
  for (const chain of KEY_CHAINS) {
    for (const key of await findSigningKeys(database, chain)) {
      const reencrypted = encryption.reencrypt(key.encryptedPrivateKey, signingKeyContext(chain, key.kid));
      if (reencrypted) replacements.push(() => replaceEncryptedPrivateKey(database, chain, key, reencrypted));
    }
  }
  for (const { name, encrypted } of await findSecretKeys(database)) {
    const reencrypted = encryption.reencrypt(encrypted, secretKeyContext(name));
    if (reencrypted) replacements.push(() => replaceEncryptedSecret(database, name, encrypted, reencrypted));
  }
  let count = 0;
  for (const replace of replacements) if (await replace()) count += 1;
  if (count > 0) log.info({ count }, 'stored keys encrypted with the new app.security.key-encryption-key');
}
