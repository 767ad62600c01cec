// Introspection (RFC 7662) and revocation (RFC 7009) of the tokens that applications have.
import type { IntrospectTokenResponse } from '../../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { Caller } from '../../client-credentials/caller.ts';
import type { AccessTokens } from '../../token/access-token.ts';
import type { ClientApplication, FindGrantedApplication } from '../applications/application-loader-store.ts';
import { grantEvent } from '../codes/redeem-code.ts';
import type { EndGrant } from '../grants/end-grants.ts';
import type { Grant, GrantStore } from '../grants/grant-store.ts';
import type { RefreshTokens } from '../grants/refresh-token.ts';
import type { FindStanding } from '../grants/standing.ts';
import type { InspectToken, LiveToken } from './inspect-token.ts';

export interface CallerTokenDependencies {
  readonly tokens: Pick<AccessTokens, 'verifyOfApplication'>;
  readonly refreshTokens: RefreshTokens;
  readonly grants: Pick<GrantStore, 'findBySelector' | 'findById'>;
  readonly findApplication: FindGrantedApplication;
  readonly findStanding: FindStanding;
  readonly inspect: InspectToken;
  readonly endGrant: EndGrant;
  readonly audit: AuditLog;
  readonly issuer: string;
  readonly clock: Clock;
}

const INACTIVE: IntrospectTokenResponse = { active: false, roles: [], amr: [] };

export function createCallerTokens(options: CallerTokenDependencies) {
  const { tokens, refreshTokens, grants, findApplication, findStanding, inspect, endGrant, audit, issuer, clock } =
    options;

  return {
    /** Returns the response for a token of an application; undefined for any other text. */
    async inspectApplicationToken(token: string, caller: Caller): Promise<IntrospectTokenResponse | undefined> {
      const refresh = refreshTokens.parse(token);
      if (refresh) return introspectRefreshToken(refresh, caller);
      const live = await inspect(token).catch(ignoreInvalid);
      if (!live) return undefined;
      return isVisibleTo(caller, live) ? accessTokenMembers(live, caller) : INACTIVE;
    },

    /**
     * Revokes the grant of an application's token, if the caller is the application. Returns false for any other text. Throws
     * INVALID_CLIENT for a token of an application without a caller.
     */
    async revokeApplicationToken(token: string, caller: Caller | undefined, call: Call): Promise<boolean> {
      const grant = await findGrant(token);
      if (!grant) return false;
      if (!caller) throw new ServiceError('INVALID_CLIENT', { detail: 'an application revokes its tokens itself' });
      if (caller.kind !== 'application' || caller.application.id !== grant.applicationId) return true;
      const { application } = caller;
      await audit.commit(call, async (tx, record) => {
        if (await endGrant(tx, grant, 'revoked', call.deadline))
          record(grantEvent('grant.revoked', grant, application, { grantId: grant.id, reason: 'application' }));
      });
      return true;
    },
  };

  async function introspectRefreshToken(
    { selector, generation }: { readonly selector: Buffer; readonly generation: number },
    caller: Caller,
  ): Promise<IntrospectTokenResponse> {
    const grant = await grants.findBySelector(selector);
    if (!grant || grant.generation !== generation) return INACTIVE;
    if (grant.revokedAt !== undefined || grant.idleExpiresAt <= clock()) return INACTIVE;
    const application = await findApplication(grant);
    if (!application || !isOwn(caller, application)) return INACTIVE;
    if ('refusal' in (await findStanding(grant, application))) return INACTIVE;
    return {
      active: true,
      clientId: application.clientId,
      sub: grant.accountId,
      scope: grant.scopes.filter((scope) => application.scopes.includes(scope)).join(' '),
      issuedAt: new Date(grant.rotatedAt ?? grant.createdAt),
      expiresAt: new Date(grant.idleExpiresAt),
      tokenType: 'refresh_token',
      roles: [],
      amr: [],
    };
  }

  /** Returns the grant of a genuine token, whether it is live or not. */
  async function findGrant(token: string): Promise<Grant | undefined> {
    const refresh = refreshTokens.parse(token);
    if (refresh) return grants.findBySelector(refresh.selector);
    const claims = await tokens.verifyOfApplication(token).catch(ignoreInvalid);
    return claims && grants.findById(claims.gid);
  }

  /** The application itself, resource servers, and of the tenant: applications whose resource it is for, and service accounts. */
  function isVisibleTo(caller: Caller, { claims: { aud }, application, grant }: LiveToken): boolean {
    const isOfTenant = ({ tenantId }: { readonly tenantId: string | undefined }) =>
      tenantId === undefined || tenantId === grant.tenantId;
    if (caller.kind === 'application') {
      const isAudience = aud !== undefined && caller.application.resources.includes(aud);
      return isOwn(caller, application) || (isAudience && isOfTenant(caller.application));
    }
    return caller.account.resourceServer || (aud === issuer && isOfTenant(caller.account));
  }
}

function isOwn(caller: Caller, { id }: ClientApplication): boolean {
  return caller.kind === 'application' && caller.application.id === id;
}

function accessTokenMembers({ claims, standing, grant, scopes }: LiveToken, caller: Caller): IntrospectTokenResponse {
  const { account } = standing.found;
  // An application knows about its users what they have allowed.
  const isNamed = caller.kind === 'service-account' || scopes.includes('profile');
  const { clientId, iss, aud, jti, iat, exp, sid, tenantId } = claims;
  return {
    active: true,
    sub: account.id,
    ...(isNamed && { username: account.username }),
    ...(clientId !== undefined && { clientId }),
    ...(tenantId !== undefined && { tenantId }),
    roles: scopes.includes('roles') ? [...account.rights.prefixedRoles] : [],
    scope: scopes.join(' '),
    ...(iss !== undefined && { iss }),
    ...(aud !== undefined && { aud }),
    ...(iat !== undefined && { issuedAt: new Date(iat * 1000) }),
    expiresAt: new Date(exp * 1000),
    jti,
    ...(sid !== undefined && { sessionId: sid }),
    grantId: grant.id,
    tokenType: 'Bearer',
    authenticatedAt: new Date(grant.authenticatedAt),
    amr: [...grant.methods],
  };
}

function ignoreInvalid(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.reason === 'TOKEN_INVALID')) throw error;
}
