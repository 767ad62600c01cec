// Access tokens with keys in memory, for the tests of access tokens.
import { generateKeyPairSync } from 'node:crypto';
import { importJWK, type CryptoKey } from 'jose';
import { expect } from 'vitest';
import { createAccessTokens, type AccessTokenSubject } from '../../src/auth/token/access-token.ts';
import { signCompact } from '../../src/auth/keys/compact-jws.ts';
import type { SigningKeys } from '../../src/auth/keys/signing-keys.ts';
import { testClock } from '../support/clock.ts';

export const PAIRS = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: generateKeyPairSync('ed25519'),
} as const;
export type Algorithm = keyof typeof PAIRS;

export const SUBJECT: AccessTokenSubject = {
  accountId: 'account-1',
  email: 'ann@acme.test',
  tenantId: 'acme',
  roles: ['ROLE_SALES'],
  sessionId: 'session-1',
};

export async function open(
  algorithm: Algorithm = 'ES256',
  options: { readonly cachedTokens?: number; readonly withEmailVerified?: boolean; readonly issuer?: string } = {},
) {
  const clock = testClock();
  const { privateKey, publicKey } = PAIRS[algorithm];
  const verifying = new Set(['key-1']);
  const cryptoKey = (await importJWK(publicKey.export({ format: 'jwk' }), algorithm)) as CryptoKey;
  let lookUps = 0;
  const keys = {
    signer: async () => ({ kid: 'key-1', algorithm, privateKey }),
    async find(kid: string) {
      lookUps += 1;
      return kid === 'key-1' ? { kid, algorithm, publicKey: cryptoKey } : undefined;
    },
    verifies: (kid: string) => verifying.has(kid),
  } as unknown as SigningKeys;
  const names = { issuer: 'shop', audience: 'api', clientId: 'web' };
  const tokens = createAccessTokens({ keys, ...names, clock: clock.now, ...options });
  const seconds = Math.floor(clock.now() / 1000);
  const claims = (changes: Record<string, unknown> = {}) => ({
    sub: 'account-1',
    iss: 'shop',
    aud: 'api',
    iat: seconds,
    exp: seconds + 900,
    jti: 'token-1',
    ...changes,
  });
  const sign = (changes?: Record<string, unknown>, type = 'at+jwt', kid = 'key-1') =>
    signCompact({ kid, algorithm, privateKey }, type, claims(changes));
  return { tokens, clock, seconds, sign, verifying, lookUps: () => lookUps };
}

export const invalid = (message: string | RegExp) => expect.objectContaining({ reason: 'TOKEN_INVALID', message });
export const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};
