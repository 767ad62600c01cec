// Encrypts the TOTP secrets of accounts. Their key is a secret key of the deployment, which is encrypted with the key-encryption
// key: so a change of the key-encryption key encrypts one key again, and not the secrets of all accounts.
import type { KeyEncryption } from '../keys/key-encryption.ts';

export type TotpSecrets = ReturnType<typeof createTotpSecrets>;

export function createTotpSecrets(encryption: Pick<KeyEncryption, 'encrypt' | 'decrypt'>) {
  // A secret that was copied to the row of another account is refused.
  const contextOf = (accountId: string) => `totp-secret:${accountId}`;
  return {
    encrypt: (accountId: string, secret: Buffer): Buffer => encryption.encrypt(secret, contextOf(accountId)),
    decrypt: (accountId: string, encrypted: Buffer): Buffer => encryption.decrypt(encrypted, contextOf(accountId)),
  };
}
