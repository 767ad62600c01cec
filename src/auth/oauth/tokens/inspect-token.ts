// Checks an access token of an application: genuine, and its grant, session, account and application allow it now.
import { ServiceError } from '../../../platform/errors.ts';
import { isId } from '../../../platform/db/ids.ts';
import { keyRevocationId, type Blacklist } from '../../token/blacklist.ts';
import type { AccessTokenClaims, AccessTokens, ApplicationTokenClaims } from '../../token/access-token.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import type { FindGrantedApplication } from '../applications/application-loader-store.ts';
import type { Grant, GrantStore } from '../grants/grant-store.ts';
import { isCommandLine } from '../applications/command-line.ts';
import type { FindStanding, Standing } from '../grants/standing.ts';
import { readScopes, type Scope } from '../scopes.ts';
import { findAudienceRefusal } from './resource.ts';

export interface InspectTokenDependencies {
  readonly tokens: Pick<AccessTokens, 'verifyOfApplication'>;
  readonly blacklist: Pick<Blacklist, 'has'>;
  readonly grants: Pick<GrantStore, 'findById'>;
  readonly findApplication: FindGrantedApplication;
  readonly findStanding: FindStanding;
}

/** A token that is accepted now. */
export interface LiveToken {
  readonly claims: ApplicationTokenClaims;
  /** Those of the token that its application may have now. */
  readonly scopes: readonly Scope[];
  readonly grant: Grant;
  readonly application: ClientApplication;
  readonly standing: Standing;
}

type Found = Pick<LiveToken, 'grant' | 'application' | 'standing'>;
type JudgedClaims = Pick<AccessTokenClaims, 'gid' | 'sub' | 'aud' | 'iss'>;

export type InspectToken = ReturnType<typeof createInspectToken>['inspect'];

export function createInspectToken(options: InspectTokenDependencies) {
  const { tokens, blacklist, grants, findApplication, findStanding } = options;

  async function findLive(claims: JudgedClaims): Promise<Found | { readonly refusal: string }> {
    const { gid, sub } = claims;
    const grant = isId(gid ?? '') ? await grants.findById(gid!) : undefined;
    if (grant?.accountId !== sub) return { refusal: 'the grant of the token is gone' };
    if (grant.revokedAt !== undefined) return { refusal: 'the grant of the token is revoked' };
    const application = await findApplication(grant);
    if (!application) return { refusal: 'the application is not served' };
    const refusal = findAudienceRefusal(claims, application);
    if (refusal !== undefined) return { refusal: refusal.detail };
    const standing = await findStanding(grant, application);
    return 'refusal' in standing ? standing : { grant, application, standing };
  }

  return {
    /** Throws TOKEN_INVALID unless the text is a token of an application that is accepted now. */
    async inspect(token: string): Promise<LiveToken> {
      const claims = await tokens.verifyOfApplication(token);
      // Another process can have revoked the key, which this one still knows.
      const ofKey = keyRevocationId(claims.kid!);
      const [found, isRevoked] = await Promise.all([findLive(claims), blacklist.has(ofKey)]);
      if (isRevoked) throw new ServiceError('TOKEN_INVALID', { detail: 'the key of the token is revoked' });
      if ('refusal' in found) throw new ServiceError('TOKEN_INVALID', { detail: found.refusal });
      return { claims, scopes: readScopes(claims.scope, found.application.scopes), ...found };
    },

    /** Judges the token with these verified claims. With one of the command line, its user may do all that a session may. */
    async judge(claims: JudgedClaims): Promise<{ readonly refusal: string } | { readonly isRestricted: boolean }> {
      const found = await findLive(claims);
      return 'refusal' in found ? found : { isRestricted: !isCommandLine(found.application) };
    },
  };
}
