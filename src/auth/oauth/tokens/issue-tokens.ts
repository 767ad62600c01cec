// Issues the tokens of a grant.
import type { ExchangeTokenResponse } from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { AccessTokens } from '../../token/access-token.ts';
import type { IdTokenAlgorithm } from '../applications/application.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import type { Claims, ClaimSubject } from '../claims/claims.ts';
import { idTokenClaims } from '../claims/id-token.ts';
import type { Grant } from '../grants/grant-store.ts';
import type { Standing } from '../grants/standing.ts';
import type { Scope } from '../scopes.ts';

/** Signs an ID token outside of the event loop. */
export type SignIdToken = (claims: Claims, algorithm: IdTokenAlgorithm) => Promise<string>;

export interface IssueTokensDependencies {
  readonly tokens: Pick<AccessTokens, 'sign'>;
  readonly signIdToken: SignIdToken;
  readonly findTenantName: (id: string) => Promise<string | undefined>;
  readonly issuer: string;
  readonly clock: Clock;
}

/** The tokens to issue. */
export interface TokenOrder {
  readonly application: ClientApplication;
  readonly grant: Pick<
    Grant,
    'id' | 'tenantId' | 'accountId' | 'sessionId' | 'offline' | 'authenticatedAt' | 'methods'
  >;
  readonly standing: Standing;
  readonly scopes: readonly Scope[];
  /** The audience; undefined for the issuer. */
  readonly resource: string | undefined;
  readonly nonce: string | undefined;
}

/** Tokens that are not stored yet. */
export interface PreparedTokens {
  /** When the access token expires, Unix milliseconds. */
  readonly accessExpiresAt: number;
  /** The response without a refresh token. The ID token is signed meanwhile. */
  readonly response: Promise<ExchangeTokenResponse>;
}

export type PrepareTokens = (order: TokenOrder) => Promise<PreparedTokens>;

export function createPrepareTokens(options: IssueTokensDependencies): PrepareTokens {
  const { tokens, signIdToken, findTenantName, issuer, clock } = options;

  return async (order) => {
    const { application, grant, standing, resource, nonce } = order;
    // Since the user has allowed them, the application can have lost some.
    const scopes = order.scopes.filter((scope) => application.scopes.includes(scope));
    const { account } = standing.found;
    const lifetimeMs = 1000 * Math.min(application.accessTokenTtl, standing.policy.effective.accessTokenTtl);
    const access = await tokens.sign(
      {
        accountId: account.id,
        clientId: application.clientId,
        tenantId: account.tenantId,
        roles: scopes.includes('roles') ? account.rights.prefixedRoles : undefined,
        ...(!grant.offline && { sessionId: grant.sessionId }),
        authentication: { authenticatedAt: grant.authenticatedAt, methods: grant.methods },
        grant: { id: grant.id, scope: scopes.join(' '), audience: resource ?? issuer },
      },
      lifetimeMs,
    );
    const respond = async (): Promise<ExchangeTokenResponse> => ({
      accessToken: access.token,
      expiresIn: Math.floor(lifetimeMs / 1000),
      scope: scopes.join(' '),
      ...(scopes.includes('openid') && {
        idToken: await signIdToken(
          idTokenClaims({
            issuer,
            application,
            grant,
            scopes,
            subject: await subjectOf(standing, scopes),
            nonce,
            accessToken: access.token,
            now: clock(),
          }),
          application.idTokenAlgorithm,
        ),
      }),
    });
    const response = respond();
    // Awaited after the commit. A rejection before that is not unhandled.
    response.catch(() => undefined);
    return { accessExpiresAt: access.expiresAt, response };
  };

  async function subjectOf({ found: { account }, policy }: Standing, scopes: readonly Scope[]): Promise<ClaimSubject> {
    const { tenantId } = account;
    const isNamed = tenantId !== undefined && scopes.includes('tenant');
    return {
      account,
      tenantName: isNamed ? await findTenantName(tenantId) : undefined,
      language: policy.effective.language,
    };
  }
}
