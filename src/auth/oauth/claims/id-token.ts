// The claims of an ID token (OpenID Connect Core section 2). Pure.
import { hash } from 'node:crypto';
import { acrOf } from '../authorize/decide-authorization.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import type { Grant } from '../grants/grant-store.ts';
import type { Scope } from '../scopes.ts';
import { claimsOf, type Claims, type ClaimSubject } from './claims.ts';

export const ID_TOKEN_LIFETIME_SECONDS = 600;

export interface IdTokenFacts {
  readonly issuer: string;
  readonly application: Pick<ClientApplication, 'clientId' | 'usernameForm' | 'idTokenClaims'>;
  readonly grant: Pick<Grant, 'sessionId' | 'offline' | 'authenticatedAt' | 'methods'>;
  readonly scopes: readonly Scope[];
  readonly subject: ClaimSubject;
  /** As the authorization request had it. Undefined at a refresh. */
  readonly nonce: string | undefined;
  readonly accessToken: string;
  /** Unix milliseconds. */
  readonly now: number;
}

export function idTokenClaims(facts: IdTokenFacts): Claims {
  const { issuer, application, grant, scopes, subject, nonce, accessToken, now } = facts;
  const issuedAt = Math.floor(now / 1000);
  return {
    ...(application.idTokenClaims && claimsOf(scopes, subject, application)),
    iss: issuer,
    sub: subject.account.id,
    aud: application.clientId,
    iat: issuedAt,
    exp: issuedAt + ID_TOKEN_LIFETIME_SECONDS,
    auth_time: Math.floor(grant.authenticatedAt / 1000),
    amr: grant.methods,
    acr: acrOf(grant.methods),
    at_hash: atHash(accessToken),
    ...(nonce !== undefined && { nonce }),
    sid: grant.sessionId,
  };
}

/** Returns the first half of the token's SHA-256: all our algorithms have that hash (OpenID Connect Core section 3.1.3.6). */
function atHash(accessToken: string): string {
  return hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url');
}
