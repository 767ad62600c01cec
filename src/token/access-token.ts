// Access tokens, signing keys, encryption of keys, and the blacklist. The only home of jose.
// Imported by services and src/composition.
import { hash } from 'node:crypto';
import { decodeJwt, errors, jwtVerify } from 'jose';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { signCompact } from './compact-jws.ts';
import type { SigningKeys } from './signing-keys.ts';
import { decodeBase64 } from '../formats/base64.ts';

/** What an access token says of its subject. */
export interface AccessTokenSubject {
  readonly accountId: string;
  readonly email?: string | undefined;
  /** What a machine client authenticated with (RFC 9068 section 2.2). Default: the client id of users' tokens. */
  readonly clientId?: string;
  readonly tenantId: string | undefined;
  /** Flattened, with the ROLE_ prefix. */
  readonly roles: readonly string[];
  /** The session family's id, where the token belongs to one. */
  readonly sessionId?: string;
}

export interface AccessTokenClaims {
  readonly sub: string;
  readonly tenantId: string | undefined;
  readonly sid: string | undefined;
  readonly jti: string;
  readonly clientId: string | undefined;
  /** Unix seconds, like `exp`; a verified token has it. */
  readonly iat: number | undefined;
  readonly exp: number;
}

export interface AccessTokens {
  /** Signs a token; `expiresAt` is Unix milliseconds on a full second. */
  sign(
    subject: AccessTokenSubject,
    lifetimeMs: number,
  ): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /** What the token claims, unproven. Throws TOKEN_INVALID when it is not a JWT that names its subject and itself. */
  decode(token: string): AccessTokenClaims;
  /** The claims of this very text when it was verified before and neither it nor its key has expired since. */
  verified(token: string): AccessTokenClaims | undefined;
  /** Checks signature, algorithm, type, issuer, audience and times. Throws TOKEN_INVALID. */
  verify(token: string): Promise<AccessTokenClaims>;
}

const TYPE = 'at+jwt';
const REQUIRED_CLAIMS = ['sub', 'iat', 'exp', 'jti'];
// Another machine of ours may be a little ahead.
const ISSUED_AHEAD_SECONDS = 5;
const CACHED_TOKENS = 10_000;
// Longer than any token of ours; refuses to decode megabytes.
const MAX_TOKEN_LENGTH = 8_192;

export function createAccessTokens(options: {
  readonly keys: SigningKeys;
  readonly issuer: string;
  readonly audience: string;
  /** Claim `client_id` of tokens whose subject names none: the application that users log in to. */
  readonly clientId: string;
  readonly clock: Clock;
}): AccessTokens {
  const { keys, issuer, audience, clientId, clock } = options;
  // Keyed by the digest of the whole text: another text is verified anew, even where it would decode to the same.
  const cache = new Map<string, { readonly claims: AccessTokenClaims; readonly kid: string }>();

  return {
    async sign(subject, lifetimeMs) {
      const issuedAt = Math.floor(clock() / 1000);
      const expiresAt = issuedAt + Math.floor(lifetimeMs / 1000);
      const token = signCompact(await keys.signer(), TYPE, {
        sub: subject.accountId,
        client_id: subject.clientId ?? clientId,
        ...(subject.email !== undefined && { email: subject.email }),
        ...(subject.tenantId !== undefined && { tenantId: subject.tenantId }),
        roles: subject.roles,
        ...(subject.sessionId !== undefined && { sid: subject.sessionId }),
        iss: issuer,
        aud: audience,
        iat: issuedAt,
        exp: expiresAt,
        jti: crypto.randomUUID(),
      });
      return { token, expiresAt: expiresAt * 1000 };
    },

    decode(token) {
      if (token.length > MAX_TOKEN_LENGTH) throw invalid('the token is too long');
      try {
        return claimsOf(decodeJwt(token));
      } catch (error) {
        throw invalid('the token is not a JWT', error);
      }
    },

    verified(token) {
      const known = cache.get(hash('sha256', token, 'base64'));
      return known && known.claims.exp > clock() / 1000 && keys.verifies(known.kid) ? known.claims : undefined;
    },

    async verify(token) {
      if (!hasCanonicalSignature(token)) throw invalid('the signature is not canonical base64url');
      const { payload, kid } = await verifySignature(token);
      if (payload.iat! > clock() / 1000 + ISSUED_AHEAD_SECONDS) throw invalid('the token was issued in the future');
      const claims = claimsOf(payload);
      if (cache.size >= CACHED_TOKENS) cache.delete(cache.keys().next().value!);
      cache.set(hash('sha256', token, 'base64'), { claims, kid });
      return claims;
    },
  };

  async function verifySignature(token: string) {
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async (header) => {
          const key = typeof header.kid === 'string' ? await keys.find(header.kid) : undefined;
          if (!key || header.alg !== key.algorithm) throw invalid('no key of ours has signed the token');
          return key.publicKey;
        },
        {
          typ: TYPE,
          issuer,
          audience,
          requiredClaims: REQUIRED_CLAIMS,
          currentDate: new Date(clock()),
        },
      );
      return { payload, kid: protectedHeader.kid! };
    } catch (error) {
      throw error instanceof errors.JOSEError ? invalid(`the token failed verification: ${error.code}`, error) : error;
    }
  }
}

function claimsOf(payload: Record<string, unknown>): AccessTokenClaims {
  const { sub, sid, jti, tenantId, client_id: clientId, iat, exp } = payload;
  if (typeof sub !== 'string' || typeof jti !== 'string' || typeof exp !== 'number')
    throw invalid('the token lacks a claim');
  return {
    sub,
    jti,
    exp,
    iat: typeof iat === 'number' ? iat : undefined,
    clientId: typeof clientId === 'string' ? clientId : undefined,
    sid: typeof sid === 'string' ? sid : undefined,
    tenantId: typeof tenantId === 'string' ? tenantId : undefined,
  };
}

// RFC 7515 section 2 allows one spelling; jose accepts others. The signature covers the spelling of header and payload.
function hasCanonicalSignature(token: string): boolean {
  return decodeBase64(token.slice(token.lastIndexOf('.') + 1), 'base64url') !== undefined;
}

function invalid(detail: string, cause?: unknown): ServiceError {
  return cause instanceof ServiceError ? cause : new ServiceError('TOKEN_INVALID', { detail, cause });
}
