import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { hasCanonicalSignature, signCompact, signCompactInPool } from './compact-jws.ts';
import type { PublicKey, SigningKeys } from './signing-keys.ts';

/** RS256, which every relying party supports, or ES256. */
export type IdTokenAlgorithm = 'RS256' | 'ES256';

/** How long an ID token is valid, in milliseconds. Logout tokens are valid for a shorter time. */
export const ID_TOKEN_LIFETIME_MS = 600_000;

/** The claims of an ID token that an application has sent back. */
export interface IdTokenHint {
  readonly sub: string;
  /** The client id of the application. */
  readonly aud: string;
  readonly sid: string | undefined;
}

/** The header `typ` of ID tokens. Access tokens, logout tokens and heads of audit trails have others (RFC 8725 section 3.11). */
const ID_TOKEN_TYPE = 'JWT';
// Longer than any ID token of this service. Prevents decoding very large texts.
const MAX_HINT_LENGTH = 16_384;

export type IdTokens = ReturnType<typeof createIdTokens>;

/** Signs and reads ID tokens (OpenID Connect Core section 2). RS256 is of the chain ID, ES256 of the chain ACCESS. */
export function createIdTokens(options: {
  readonly idKeys: Pick<SigningKeys, 'signer' | 'findKept'>;
  readonly accessKeys: Pick<SigningKeys, 'signerOf' | 'findKept'>;
  /** The issuer of new tokens. */
  readonly issuer: string;
  /** Further issuers of valid tokens: before and after a change of the setting. Default: none. */
  readonly otherIssuers?: readonly string[];
}) {
  const { idKeys, accessKeys, issuer, otherIssuers = [] } = options;
  const checks = {
    issuer: [issuer, ...otherIssuers],
    algorithms: ['RS256', 'ES256'] satisfies IdTokenAlgorithm[],
    requiredClaims: ['sub', 'aud', 'exp'],
    // A hint may have expired.
    currentDate: new Date(0),
  };

  /** Also finds keys that have left the key set, as hints can be older than they. */
  async function findKey(header: { readonly kid?: string; readonly alg?: string }): Promise<PublicKey['publicKey']> {
    const { kid, alg } = header;
    const keys = alg === 'RS256' ? idKeys : accessKeys;
    const key = typeof kid === 'string' ? await keys.findKept(kid) : undefined;
    if (key === undefined || key.algorithm !== alg) throw new errors.JWKSNoMatchingKey();
    return key.publicKey;
  }

  return {
    /**
     * Signs claims, and adds `iss`. RS256 is signed in the thread pool, so that it blocks no other call. The algorithm is RS256 too if there
     * is no key of ES256 any more, after a change of `app.security.jwt.algorithm`.
     */
    async sign(claims: JWTPayload, algorithm: IdTokenAlgorithm, type: string = ID_TOKEN_TYPE): Promise<string> {
      const payload = { iss: issuer, ...claims };
      const key = algorithm === 'ES256' ? await accessKeys.signerOf('ES256', ID_TOKEN_LIFETIME_MS) : undefined;
      return key ? signCompact(key, type, payload) : signCompactInPool(await idKeys.signer(), type, payload);
    },

    /**
     * Returns the claims of an ID token of this service, expired or not. Undefined for any other text or another encoding of such a token.
     * Rejects if the database must be queried and is unavailable.
     */
    async readHint(token: string): Promise<IdTokenHint | undefined> {
      if (token.length > MAX_HINT_LENGTH || !hasCanonicalSignature(token)) return undefined;
      try {
        const { payload, protectedHeader } = await jwtVerify(token, findKey, checks);
        return isIdTokenType(protectedHeader.typ) ? toHint(payload) : undefined;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

/** RFC 7515 section 4.1.9: a media type, whose case is irrelevant. */
function isIdTokenType(type: unknown): boolean {
  return type === undefined || (typeof type === 'string' && type.toUpperCase() === ID_TOKEN_TYPE);
}

function toHint({ sub, aud, sid }: JWTPayload): IdTokenHint | undefined {
  if (typeof sub !== 'string' || typeof aud !== 'string') return undefined;
  return { sub, aud, sid: typeof sid === 'string' ? sid : undefined };
}
