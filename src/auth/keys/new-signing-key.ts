import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { exportJWK, exportPKCS8 } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import type { KeyEncryption } from './key-encryption.ts';
import type { KeyChain, StoredSigningKey } from './key-store.ts';

/** A key that is not yet in the rotation schedule. */
export type NewSigningKey = Pick<StoredSigningKey, 'kid' | 'algorithm' | 'publicJwk' | 'encryptedPrivateKey'>;

const RSA_BITS = 2048;

const CONTEXTS: Record<KeyChain, string> = { ACCESS: 'signing-key', ID: 'id-signing-key' };

/**
 * Creates a key pair and encrypts its private part.
 *
 * @param algorithm ES256, EdDSA or RS256 (RFC 7518 section 3.1, RFC 8037 section 3.1).
 */
export async function createSigningKey(
  encryption: KeyEncryption,
  chain: KeyChain,
  algorithm: string,
): Promise<NewSigningKey> {
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: RSA_BITS });
  const jwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    kid,
    algorithm,
    publicJwk: JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' }),
    encryptedPrivateKey: encryption.encrypt(
      Buffer.from(await exportPKCS8(pair.privateKey)),
      signingKeyContext(chain, kid),
    ),
  };
}

/** The encryption context of a private key. It binds the key to its chain. */
export function signingKeyContext(chain: KeyChain, kid: string): string {
  return `${CONTEXTS[chain]}:${kid}`;
}
