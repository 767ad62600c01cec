import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Seals the keys that the service keeps in its database under the key-encryption key (AES-256-GCM). */
export interface KeyEncryption {
  /** `context` names the key; a sealed key opens only under the same one. */
  seal(plaintext: Uint8Array, context: string): Buffer;
  /** Throws when the key-encryption key is another one or the sealed bytes were changed. */
  open(sealed: Uint8Array, context: string): Buffer;
}

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param key 32 bytes, the setting app.security.key-encryption-key. */
export function createKeyEncryption(key: Uint8Array): KeyEncryption {
  return {
    seal(plaintext, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== VERSION) throw new Error(`the stored key ${context} has an unknown format`);
      const iv = bytes.subarray(1, 1 + IV_BYTES);
      const tag = bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES)), decipher.final()]);
      } catch {
        throw new Error(
          `the stored key ${context} was sealed under another app.security.key-encryption-key: start with the one ` +
            'that this database was set up with',
        );
      }
    },
  };
}
