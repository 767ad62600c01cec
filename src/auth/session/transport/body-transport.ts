// The refresh-token transport of Profile B: a single-use JWT in the body with a fixed lifetime. The interface fixes all
// values, so there are no settings.
import { createHash, randomBytes } from 'node:crypto';
import type { SecretJwts } from '../../token/secret-jwt.ts';
import {
  newSelector,
  type PresentedRefreshToken,
  type RefreshToken,
  type TransportPolicy,
} from './transport-policy.ts';

/** Header `typ` of refresh tokens; access tokens are at+jwt. */
export const REFRESH_TOKEN_TYPE = 'rt+jwt';

/** Lifetime of access tokens of Profile B, in milliseconds. */
export const ACCESS_TOKEN_TTL_MS = 900_000;
const LIFETIME_MS = 7 * 24 * 3600_000;
const VERIFIER_BYTES = 32;

export function createBodyTransport(jwts: SecretJwts): TransportPolicy {
  return {
    stored: 'BODY',
    rotationMode: 'strict',
    accessTokenTtlMs: ACCESS_TOKEN_TTL_MS,
    absoluteLifetimeMs: LIFETIME_MS,
    emailOf: ({ email, username }) => email ?? username,
    idleWindowMs: () => LIFETIME_MS,

    async issue(session, generation, selector = newSelector()) {
      const verifier = randomBytes(VERIFIER_BYTES).toString('base64url');
      const value = await jwts.sign({
        sid: session.id,
        sel: selector.toString('base64url'),
        gen: generation,
        jti: verifier,
        exp: Math.floor(session.expiresAt / 1000),
      });
      return { value, selector, generation, verifierHash: hashOf(verifier) };
    },

    async parse(value) {
      const claims = await jwts.read(value);
      return claims && toCredential(claims);
    },

    carry: (value) => ({ refreshCookie: undefined, refreshToken: value }),
  };
}

/** The signature was verified, so the claims are as `issue` wrote them. */
function toCredential(claims: Record<string, unknown>): PresentedRefreshToken {
  const { sel, gen, jti, exp } = claims as { sel: string; gen: number; jti: string; exp: number };
  return {
    selector: Buffer.from(sel, 'base64url'),
    generation: gen,
    verifierHash: hashOf(jti),
    expiresAt: exp * 1000,
  };
}

function hashOf(verifier: string): RefreshToken['verifierHash'] {
  return createHash('sha256').update(verifier).digest();
}
