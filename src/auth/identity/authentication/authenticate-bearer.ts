// The bearer token check (RFC 6750 section 2.1). It checks the blacklist, the signature, the account and the tenant, in
// this order.
import type { Clock } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Principal } from '../../access/principal.ts';
import type { AccessTokenClaims, AccessTokens } from '../../token/access-token.ts';
import { keyRevocationId, type Blacklist } from '../../token/blacklist.ts';
import type { AccountKey, AccountStore } from '../account-store.ts';
import { principalOf } from './principal-of.ts';

/** Authenticates a call by its Authorization headers. Returns undefined if none is a Bearer credential. */
export type AuthenticateBearer = (authorization: readonly string[]) => Promise<Principal | undefined>;

/**
 * Returns why a grant, its session or its application refuses a token now, or whether the token is restricted to what applications may
 * do.
 */
export type JudgeGrant = (
  claims: AccessTokenClaims & { readonly gid: string },
) => Promise<{ readonly refusal: string } | { readonly isRestricted: boolean }>;

export function createBearerCheck(options: {
  readonly tokens: AccessTokens;
  readonly blacklist: Blacklist;
  readonly accounts: AccountStore;
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
  /** Judges the token of an application. */
  readonly judgeGrant: JudgeGrant;
}): AuthenticateBearer {
  const { tokens, blacklist, accounts, clock, tenantRequired, judgeGrant } = options;

  const isRevoked = async (ids: readonly string[]) =>
    (await Promise.all(ids.map((id) => blacklist.has(id)))).includes(true);

  return async (authorization) => {
    if (authorization.length > 1) throw invalid('the request has more than one Authorization header');
    const token = bearerToken(authorization[0]);
    if (token === undefined) return undefined;

    const verified = tokens.verified(token);
    const claimed = verified ?? tokens.decode(token);
    const revocationId = claimed.gid ?? claimed.sid ?? claimed.jti;
    if (!isId(revocationId) || !isId(claimed.sub)) throw invalid('the token has an invalid sub, gid, sid or jti');
    // This exact token was verified before, so a forged token cannot cause needless database load: one statement reads both.
    const ofKey = claimed.kid === undefined ? undefined : keyRevocationId(claimed.kid);
    const ids = ofKey === undefined ? [revocationId] : [revocationId, ofKey];
    const early = verified && (await accounts.findByToken(keyOf(verified), ids));
    const revoked = early ? early.isRevoked : await isRevoked(ids);
    const claims = verified ?? (await tokens.verify(token));
    // The end of an account revokes its tokens, but has a text of its own.
    if (revoked && (await accounts.isKnown(claims.sub))) throw invalid('the token is revoked');
    const accountWithTenant = early ? early.account : await accounts.find(keyOf(claims));
    if (!accountWithTenant && (await accounts.isKnown(claims.sub)))
      throw invalid("the token's tenant is not the account's");
    const { sid: sessionId, authentication, exp, gid } = claims;
    const ofToken = { sessionId, revocationId, keyRevocationId: ofKey };
    const facts = { ...ofToken, apiKeyHash: undefined, authentication, expiresAt: exp * 1000 };
    const principal = principalOf(accountWithTenant, facts, clock(), tenantRequired);
    if (gid === undefined) return principal;
    const judged = await judgeGrant({ ...claims, gid });
    if ('refusal' in judged) throw invalid(judged.refusal);
    return { ...principal, grantId: gid, isApplication: judged.isRestricted };
  };
}

/** Returns the token of an Authorization header; undefined if the header uses another scheme. */
export function bearerToken(header: string | undefined): string | undefined {
  // The scheme is case-insensitive (RFC 9110 section 11.1).
  const match = header === undefined ? null : /^bearer(?: +(.*))?$/is.exec(header);
  return match ? (match[1] ?? '') : undefined;
}

function keyOf({ tenantId, sub: id }: AccessTokenClaims): AccountKey {
  return { tenantId, id };
}

function invalid(detail: string): ServiceError {
  return new ServiceError('TOKEN_INVALID', { detail });
}
