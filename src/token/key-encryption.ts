import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Seals the keys that the service keeps in its database under the key-encryption key (AES-256-GCM). */
export interface KeyEncryption {
  /** `context` names the key; a sealed key opens only under the same one. */
  seal(plaintext: Uint8Array, context: string): Buffer;
  /** Throws when none of the key-encryption keys is the right one or the sealed bytes were changed. */
  open(sealed: Uint8Array, context: string): Buffer;
  /** The same sealed anew, where it was under another key; undefined where it need not be. Throws like `open`. */
  reseal(sealed: Uint8Array, context: string): Buffer | undefined;
}

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * @param key 32 bytes, the setting app.security.key-encryption-key.
 * @param otherKeys What opens as well, the setting app.security.key-encryption-other-keys.
 */
export function createKeyEncryption(key: Uint8Array, otherKeys: readonly Uint8Array[] = []): KeyEncryption {
  const seal = (plaintext: Uint8Array, context: string): Buffer => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), ciphertext]);
  };

  const open = (sealed: Uint8Array, context: string): Buffer => {
    if (sealed[0] !== VERSION) throw new Error(`the stored key ${context} has an unknown format`);
    for (const candidate of [key, ...otherKeys]) {
      const plaintext = openUnder(candidate, sealed, context);
      if (plaintext) return plaintext;
    }
    throw new Error(
      `the stored key ${context} was sealed under another app.security.key-encryption-key: start with the one ` +
        'that this database was set up with',
    );
  };

  return {
    seal,
    open,
    reseal(sealed, context) {
      const plaintext = open(sealed, context);
      return openUnder(key, sealed, context) ? undefined : seal(plaintext, context);
    },
  };
}

function openUnder(key: Uint8Array, sealed: Uint8Array, context: string): Buffer | undefined {
  const bytes = Buffer.from(sealed);
  const iv = bytes.subarray(1, 1 + IV_BYTES);
  const tag = bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
