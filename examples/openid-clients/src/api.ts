// An API that accepts access tokens of applications, by jose.
// snippet:start api
import { createRemoteJWKSet, jwtVerify } from 'jose';

/** Returns a function that verifies an access token for this API. It rejects for all other texts. */
export function createCheck(issuer: string, audience: string, tenantId: string) {
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', issuer), { cacheMaxAge: 300_000 });
  const rules = {
    issuer,
    audience,
    typ: 'at+jwt',
    algorithms: ['ES256'],
    requiredClaims: ['sub', 'client_id', 'scope'],
  };
  return async (token: string) => {
    const { payload } = await jwtVerify<{ sub: string; tenantId: string; scope: string }>(token, keys, rules);
    // The keys are those of all tenants.
    if (payload.tenantId !== tenantId) throw new Error('the token is of another tenant');
    return payload;
  };
}
// snippet:end
