import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { SigningKey } from './provider.ts';

/** Returns a new key of a client, P-256. */
export function newSigningKey(): SigningKey {
  return { kid: randomUUID(), privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };
}

/** Returns the public part of a key as a JWK. */
export function publicJwk({ kid, privateKey }: SigningKey) {
  return { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
}
