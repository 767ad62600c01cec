// Access tokens: what they contain, and what ends them before their time. Only this folder and `keys` import jose.
// Decides: whether a token is genuine, of this service, unexpired and not revoked.
// States: a token is valid until it expires, or its own revocation or that of its session, account or tenant.
// Tables: revocations, token_blacklist.
// Routes: none.
import { hash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import * as errors from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';
import type { Clock } from '../../platform/clock.ts';
import { ServiceError } from '../../platform/errors.ts';
import { readMethods, type Authentication } from '../access/authentication.ts';
import { finding, type Finding } from '../access/findings.ts';
import { hasCanonicalSignature, signCompact } from '../keys/compact-jws.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';

/** The claims about a token's subject. */
export interface AccessTokenSubject {
  readonly accountId: string;
  readonly email?: string | undefined;
  /** Whether a token of a mail has proven the address. Undefined for machine clients. */
  readonly emailVerified?: boolean;
  /**
   * The client id that a machine client authenticated with (RFC 9068 section 2.2). Default: the client id for users'
   * tokens.
   */
  readonly clientId?: string;
  readonly tenantId: string | undefined;
  /** All roles including inherited ones, with the ROLE_ prefix. */
  readonly roles: readonly string[] | undefined;
  /** The session's id; undefined if the token belongs to no session. */
  readonly sessionId?: string;
  /** When and how the user of the session was authenticated (RFC 9068 section 2.2.1). */
  readonly authentication?: Authentication;
  /** Set if the token is an application's. `roles` can be undefined then. */
  readonly grant?: GrantClaims;
}

/** The claims of a token that an application has for a user. */
export interface GrantClaims {
  readonly id: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly audience: string;
}

export interface AccessTokenClaims {
  readonly sub: string;
  readonly tenantId: string | undefined;
  readonly sid: string | undefined;
  readonly jti: string;
  readonly clientId: string | undefined;
  /** Always present in a verified token. */
  readonly iss: string | undefined;
  /** Unix seconds, like `exp`. Always present in a verified token. */
  readonly iat: number | undefined;
  readonly exp: number;
  /** Undefined for tokens without a session, and for those of the previous release. */
  readonly authentication: Authentication | undefined;
  /** The grant, of an application's token. */
  readonly gid: string | undefined;
  readonly aud: string | undefined;
  /** Of an application's token. */
  readonly scope: string | undefined;
  /** The id of the key in the header. Always present in a verified token. */
  readonly kid?: string;
}

export type AccessTokens = ReturnType<typeof createAccessTokens>;

const TYPE = 'at+jwt';
const REQUIRED_CLAIMS = ['sub', 'iat', 'exp', 'jti'];
// Clocks of other machines in the deployment may be slightly ahead.
const ISSUED_AHEAD_SECONDS = 5;
const CACHED_TOKENS = 10_000;
// Longer than any token of this service. Prevents decoding very large texts.
const MAX_TOKEN_LENGTH = 8_192;

export function createAccessTokens(options: {
  readonly keys: SigningKeys;
  /** The issuer of new tokens. */
  readonly issuer: string;
  /** Further issuers of valid tokens: before and after a change of the setting. Default: none. */
  readonly otherIssuers?: readonly string[];
  readonly audience: string;
  /** Claim `client_id` of tokens whose subject has no client id: the application that users log in to. */
  readonly clientId: string;
  /** Whether tokens of users have the claim `emailVerified`. Default: they do not. */
  readonly withEmailVerified?: boolean;
  readonly clock: Clock;
  /** Number of verified tokens that are remembered. */
  readonly cachedTokens?: number;
}) {
  const { keys, issuer, otherIssuers = [], audience, clientId, withEmailVerified = false, clock } = options;
  const { cachedTokens = CACHED_TOKENS } = options;
  const issuers = [issuer, ...otherIssuers];
  // The key is the digest of the whole text. A different text is always verified, even if it decodes to the same
  // claims.
  const cache = new Map<string, { readonly claims: AccessTokenClaims; readonly kid: string }>();

  return {
    /** Signs a token. `expiresAt` is Unix milliseconds, rounded to a full second. */
    async sign(subject: AccessTokenSubject, lifetimeMs: number) {
      const issuedAt = Math.floor(clock() / 1000);
      const expiresAt = issuedAt + Math.floor(lifetimeMs / 1000);
      const token = signCompact(await keys.signer(), TYPE, {
        sub: subject.accountId,
        client_id: subject.clientId ?? clientId,
        email: subject.email,
        emailVerified: withEmailVerified ? subject.emailVerified : undefined,
        tenantId: subject.tenantId,
        roles: subject.roles,
        sid: subject.sessionId,
        ...(subject.authentication && authenticationClaims(subject.authentication)),
        iss: issuer,
        aud: subject.grant?.audience ?? audience,
        gid: subject.grant?.id,
        scope: subject.grant?.scope,
        iat: issuedAt,
        exp: expiresAt,
        jti: crypto.randomUUID(),
      });
      return { token, expiresAt: expiresAt * 1000 };
    },

    /**
     * Returns the unverified claims. Throws TOKEN_INVALID if the text is not a JWT with a subject and a session or token
     * id.
     */
    decode(token: string): AccessTokenClaims {
      if (token.length > MAX_TOKEN_LENGTH) throw new RejectedToken(finding('TOKEN_TOO_LONG'));
      try {
        const { kid } = decodeProtectedHeader(token);
        return { ...claimsOf(decodeJwt(token), audience), ...(typeof kid === 'string' && { kid }) };
      } catch (error) {
        throw error instanceof RejectedToken ? error : new RejectedToken(finding('TOKEN_NOT_JWT'), error);
      }
    },

    /**
     * Returns the claims if exactly this text was verified before and neither the token nor its key has expired since.
     */
    verified(token: string): AccessTokenClaims | undefined {
      const known = cache.get(hash('sha256', token, 'base64'));
      return known && isOwn(known.claims) && isInForce(known) ? known.claims : undefined;
    },

    /** Checks signature, algorithm, type, issuer, audience and times. Throws TOKEN_INVALID if one is wrong. */
    async verify(token: string): Promise<AccessTokenClaims> {
      const claims = await verifyAny(token, audience);
      if (!isOwn(claims)) throw new RejectedToken(finding('TOKEN_OF_APPLICATION'));
      return claims;
    },

    /** Checks the token of an application as `verify` does, whatever its audience is. Throws TOKEN_INVALID for other tokens, too. */
    async verifyOfApplication(token: string): Promise<ApplicationTokenClaims> {
      const known = cache.get(hash('sha256', token, 'base64'));
      const claims = known && isInForce(known) ? known.claims : await verifyAny(token);
      if (!isOfApplication(claims)) throw new RejectedToken(finding('TOKEN_NOT_OF_APPLICATION'));
      return claims;
    },
  };

  /** Whether this service is the audience. An application's token for the issuer is not for it, even if both have one name. */
  function isOwn({ aud, gid }: AccessTokenClaims): boolean {
    return aud === audience && (gid === undefined || audience !== issuer);
  }

  function isInForce({ claims, kid }: { readonly claims: AccessTokenClaims; readonly kid: string }): boolean {
    return claims.exp > clock() / 1000 && keys.verifies(kid);
  }

  async function verifyAny(token: string, onlyAudience?: string): Promise<AccessTokenClaims> {
    if (!hasCanonicalSignature(token)) throw new RejectedToken(finding('TOKEN_SIGNATURE_NOT_CANONICAL'));
    const { payload, kid } = await verifySignature(token, onlyAudience);
    if (payload.iat! > clock() / 1000 + ISSUED_AHEAD_SECONDS) throw new RejectedToken(finding('TOKEN_FROM_FUTURE'));
    const claims = { ...claimsOf(payload, audience), kid };
    if (cache.size >= cachedTokens) cache.delete(cache.keys().next().value!);
    cache.set(hash('sha256', token, 'base64'), { claims, kid });
    return claims;
  }

  async function verifySignature(token: string, onlyAudience: string | undefined) {
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async (header) => {
          const key = typeof header.kid === 'string' ? await keys.find(header.kid) : undefined;
          if (!key || header.alg !== key.algorithm) throw new RejectedToken(finding('TOKEN_KEY_UNKNOWN'));
          return key.publicKey;
        },
        {
          typ: TYPE,
          issuer: issuers,
          ...(onlyAudience !== undefined && { audience: onlyAudience }),
          requiredClaims: REQUIRED_CLAIMS,
          currentDate: new Date(clock()),
        },
      );
      return { payload, kid: protectedHeader.kid! };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      throw new RejectedToken(finding('TOKEN_UNVERIFIED', { reason: error.code }), error);
    }
  }
}

/** Of several audiences, a token keeps the own one. */
function claimsOf(payload: Record<string, unknown>, audience: string): AccessTokenClaims {
  const { sub, sid, jti, tenantId, client_id: clientId, iss, iat, exp, gid, aud, scope } = payload;
  if (typeof sub !== 'string' || typeof jti !== 'string' || typeof exp !== 'number')
    throw new RejectedToken(finding('TOKEN_CLAIMS_MISSING'));
  return {
    sub,
    jti,
    exp,
    iss: typeof iss === 'string' ? iss : undefined,
    iat: typeof iat === 'number' ? iat : undefined,
    clientId: typeof clientId === 'string' ? clientId : undefined,
    sid: typeof sid === 'string' ? sid : undefined,
    tenantId: typeof tenantId === 'string' ? tenantId : undefined,
    authentication: readAuthentication(payload),
    gid: typeof gid === 'string' ? gid : undefined,
    aud: [aud].flat().includes(audience) ? audience : typeof aud === 'string' ? aud : undefined,
    scope: typeof scope === 'string' ? scope : undefined,
  };
}

/** The claims of an application's token. */
export type ApplicationTokenClaims = AccessTokenClaims & { readonly gid: string; readonly scope: string };

function isOfApplication(claims: AccessTokenClaims): claims is ApplicationTokenClaims {
  return claims.gid !== undefined && claims.scope !== undefined;
}

function authenticationClaims({ authenticatedAt, methods }: Authentication) {
  return { auth_time: Math.floor(authenticatedAt / 1000), amr: methods };
}

function readAuthentication({ auth_time: authTime, amr }: Record<string, unknown>): Authentication | undefined {
  if (typeof authTime !== 'number' || !Array.isArray(amr)) return undefined;
  return { authenticatedAt: authTime * 1000, methods: readMethods(amr) };
}

/** The error of a token that is not genuine. */
export class RejectedToken extends ServiceError {
  readonly finding: Finding;

  constructor(reason: Finding, cause?: unknown) {
    super('TOKEN_INVALID', { detail: reason.detail, cause });
    this.finding = reason;
  }
}

/** The result of verifying a token. */
type AccessTokenFindings =
  /** The service has issued it. `expired` is true if it is invalid only because it has expired. */
  | { readonly kind: 'genuine'; readonly claims: AccessTokenClaims; readonly expired: boolean }
  /** Not issued by the service, or not an access token. Its claims cannot be trusted. */
  | { readonly kind: 'rejected'; readonly finding: Finding };

/** Verifies a token as every call does, and distinguishes an expired token from one that was never valid. */
export async function inspectAccessToken(
  tokens: Pick<AccessTokens, 'decode' | 'verify'>,
  token: string,
): Promise<AccessTokenFindings> {
  try {
    return { kind: 'genuine', claims: await tokens.verify(token), expired: false };
  } catch (error) {
    if (!(error instanceof RejectedToken)) throw error;
    // jose checks the expiry last, so all other checks have passed.
    if (error.cause instanceof errors.JWTExpired)
      return { kind: 'genuine', claims: tokens.decode(token), expired: true };
    return { kind: 'rejected', finding: findingOf(error.cause) ?? error.finding };
  }
}

function findingOf(cause: unknown): Finding | undefined {
  if (cause instanceof errors.JWSSignatureVerificationFailed) return finding('TOKEN_SIGNATURE_WRONG');
  if (!(cause instanceof errors.JWTClaimValidationFailed)) return undefined;
  const { claim, reason } = cause;
  return finding(reason === 'missing' ? 'TOKEN_CLAIM_MISSING' : 'TOKEN_CLAIM_INVALID', { claim });
}
