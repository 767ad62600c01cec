import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SettingError } from '../../platform/setting-error.ts';
import { decodeBase64 } from '../../platform/formats/base64.ts';

export type KeyEncryption = ReturnType<typeof createKeyEncryption>;

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts the keys stored in the database with the key-encryption key (AES-256-GCM).
 *
 * @param key 32 bytes, from the setting app.security.key-encryption-key.
 * @param otherKeys Further keys for decryption only, from the setting app.security.key-encryption-other-keys.
 */
export function createKeyEncryption(key: Uint8Array, otherKeys: readonly Uint8Array[] = []) {
  /** `context` names the key. Decrypting requires the same context. */
  const encrypt = (plaintext: Uint8Array, context: string): Buffer => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), ciphertext]);
  };

  /** Throws if none of the key-encryption keys matches or the encrypted bytes were changed. */
  const decrypt = (encrypted: Uint8Array, context: string): Buffer => {
    if (encrypted[0] !== VERSION) throw new Error(`the stored key ${context} has an unknown format`);
    for (const candidate of [key, ...otherKeys]) {
      const plaintext = decryptWith(candidate, encrypted, context);
      if (plaintext) return plaintext;
    }
    throw new SettingError(
      `the stored key ${context} was encrypted with another app.security.key-encryption-key: start with the one ` +
        'that this database was set up with',
    );
  };

  return {
    encrypt,
    decrypt,
    /**
     * Encrypts a key with the current key-encryption key if it was encrypted with another one. Returns undefined if that
     * is not needed. Throws like `decrypt`.
     */
    reencrypt(encrypted: Uint8Array, context: string): Buffer | undefined {
      const plaintext = decrypt(encrypted, context);
      return decryptWith(key, encrypted, context) ? undefined : encrypt(plaintext, context);
    },
  };
}

function decryptWith(key: Uint8Array, encrypted: Uint8Array, context: string): Buffer | undefined {
  const bytes = Buffer.from(encrypted);
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

const KEY_BYTES = 32;

/** Reads the development key file. Creates it with mode 0600 if it is missing. Not for production. */
export function developmentKeyFile(path: string): Buffer {
  return readKey(path) ?? createKey(path);
}

function readKey(path: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = decodeBase64(text.trim(), 'base64');
  if (key?.length !== KEY_BYTES) throw new Error(`${path} does not contain a base64 key of ${KEY_BYTES} bytes`);
  return key;
}

// Creating a link is atomic, so two processes that start together agree on one key.
function createKey(path: string): Buffer {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readKey(path)!;
}
