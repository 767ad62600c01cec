// snippet:start jwks
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { Caller, Check } from './access-token.ts';
import type { IsRevoked } from './revocations.ts';

/** Whether the key set was unavailable. Then the token may be valid. */
const isOutage = (error: unknown) => !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout;

/**
 * Verifies tokens of one tenant with the published keys, which are those of all tenants. jose caches the key set and fetches it
 * again for an unknown key.
 *
 * @param isRevoked Without it, a token is accepted until it expires, also after a logout.
 */
export function byKeySet(issuer: string, audience: string, tenantId: string, isRevoked?: IsRevoked): Check {
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', issuer), {
    cacheMaxAge: 300_000,
    cooldownDuration: 1_000,
  });
  const rules = {
    issuer,
    audience,
    typ: 'at+jwt',
    algorithms: ['ES256'],
    requiredClaims: ['sub', 'exp', 'client_id'],
  };
  return async (token) => {
    try {
      const { payload } = await jwtVerify<Caller>(token, keys, rules);
      if (payload.tenantId !== tenantId) return undefined;
      return isRevoked?.(payload) ? undefined : payload;
    } catch (error) {
      if (isOutage(error)) throw error;
      return undefined;
    }
  };
}
// snippet:end
