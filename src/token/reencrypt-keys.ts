import type { Logger } from 'pino';
import type { Database } from '../db/types.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { findSecretKeys, findSigningKeys, replaceSealedPrivateKey, replaceSealedSecret } from './key-store.ts';
import { signingKeyContext } from './new-signing-key.ts';
import { secretKeyContext } from './secret-key.ts';

/**
 * Seals under the key-encryption key whatever is sealed under one of the others. Throws where a stored key opens under none of
 * them; nothing is changed then.
 */
export async function reencryptKeys(options: {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  readonly log: Logger;
}): Promise<void> {
  const { database, encryption, log } = options;
  const replacements: (() => Promise<boolean>)[] = [];
  for (const { kid, sealedPrivateKey } of await findSigningKeys(database)) {
    const anew = encryption.reseal(sealedPrivateKey, signingKeyContext(kid));
    if (anew) replacements.push(() => replaceSealedPrivateKey(database, kid, sealedPrivateKey, anew));
  }
  for (const { name, sealed } of await findSecretKeys(database)) {
    const anew = encryption.reseal(sealed, secretKeyContext(name));
    if (anew) replacements.push(() => replaceSealedSecret(database, name, sealed, anew));
  }
  let count = 0;
  for (const replace of replacements) if (await replace()) count += 1;
  if (count > 0) log.info({ count }, 'stored keys are sealed under the new app.security.key-encryption-key');
}
