import { isApiKey } from '../auth/api-key/key-format.ts';
import type { IntrospectTokenDependencies } from '../auth/client-credentials/introspect-token.ts';
import type { RevokeTokenDependencies } from '../auth/client-credentials/revoke-token.ts';
import { clientCredentialsService } from '../auth/client-credentials/service.ts';
import type { CheckToken } from '../auth/identity/authentication/authenticate-credentials.ts';
import type { AccessTokens } from '../auth/token/access-token.ts';
import type { Accounts } from './accounts.ts';
import type { Clients } from './clients.ts';
import type { CredentialChecks } from './credential-checks.ts';
import type { Foundation, Part } from './foundation.ts';

/** Creates the client credentials service. */
export function createClientCredentials(
  foundation: Foundation,
  {
    clients,
    accounts: { administration, endSessions },
    requireFresh,
    tokens,
    checkToken,
    revokePresentedToken,
    inspectApplicationToken,
    revokeApplicationToken,
  }: {
    readonly clients: Clients;
    readonly accounts: Pick<Accounts, 'administration' | 'endSessions'>;
    readonly requireFresh: CredentialChecks['requireFresh'];
    readonly tokens: AccessTokens;
    readonly checkToken: CheckToken;
    readonly revokePresentedToken: RevokeTokenDependencies['revokePresentedToken'];
    readonly inspectApplicationToken: IntrospectTokenDependencies['inspectApplicationToken'];
    readonly revokeApplicationToken: RevokeTokenDependencies['revokeApplicationToken'];
  },
): Part {
  const { settings, database, sessions, clock, tenantRequired } = foundation;
  const { authenticateServiceAccount: authentication, authenticateAny, findPublicApplication, rateLimit } = clients;
  return {
    services: [
      clientCredentialsService({
        database,
        administration,
        endSessions,
        requireFresh,
        tokens,
        clock,
        tenantRequired,
        authentication,
        rateLimit,
        checkToken,
        revokePresentedToken,
        inspectApplicationToken,
        revokeApplicationToken,
        authenticateCaller: (presented, call, endpoint) =>
          authenticateAny(presented, call, { endpoint, limit: 'introspection' }),
        findPublicApplication,
        isApiKey,
        findAuthentication: sessions.findAuthenticated,
        audience: settings['app.security.jwt.audience'],
        accessTokenTtlMs: settings['app.security.m2m.access-token-ttl'],
      }),
    ],
  };
}
