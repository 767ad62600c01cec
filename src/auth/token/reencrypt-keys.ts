import type { Logger } from 'pino';
import type { Database } from '../../platform/db/types.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { findSecretKeys, findSigningKeys, replaceEncryptedPrivateKey, replaceEncryptedSecret } from './key-store.ts';
import { signingKeyContext } from './new-signing-key.ts';
import { secretKeyContext } from './secret-key.ts';

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
  for (const { kid, encryptedPrivateKey } of await findSigningKeys(database)) {
    const reencrypted = encryption.reencrypt(encryptedPrivateKey, signingKeyContext(kid));
    if (reencrypted)
      replacements.push(() => replaceEncryptedPrivateKey(database, kid, encryptedPrivateKey, reencrypted));
  }
  for (const { name, encrypted } of await findSecretKeys(database)) {
    const reencrypted = encryption.reencrypt(encrypted, secretKeyContext(name));
    if (reencrypted) replacements.push(() => replaceEncryptedSecret(database, name, encrypted, reencrypted));
  }
  let count = 0;
  for (const replace of replacements) if (await replace()) count += 1;
  if (count > 0) log.info({ count }, 'stored keys encrypted with the new app.security.key-encryption-key');
}
