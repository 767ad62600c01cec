import { isApiKey } from '../auth/api-key/key-format.ts';
import {
  createAuthenticateCaller,
  createClientAuthentication,
} from '../auth/client-credentials/client-authentication.ts';
import { createClientRateLimit } from '../auth/client-credentials/client-rate-limit.ts';
import type { RevokeTokenDependencies } from '../auth/client-credentials/revoke-token.ts';
import { clientCredentialsService } from '../auth/client-credentials/service.ts';
import type { AccountAdministration } from '../auth/identity/users/account-administration.ts';
import type { AuthenticationManager } from '../auth/identity/authentication/authentication-manager.ts';
import type { CheckToken } from '../auth/identity/authentication/authenticate-credentials.ts';
import { createBackgroundRetries } from '../platform/concurrency/background-retries.ts';
import { isOutcomeUnknown } from '../platform/db/errors.ts';
import { DependencyUnavailableError } from '../platform/errors.ts';
import { recordLastUsed } from '../platform/jobs/last-used.ts';
import { createRateLimit } from '../platform/limits/rate-limit.ts';
import type { AccessTokens } from '../auth/token/access-token.ts';
import type { Foundation, Part } from './foundation.ts';

/** Creates the client credentials service with its secrets, the recorder of their last use, and its rate limits. */
export function createClientCredentials(
  foundation: Foundation,
  {
    manager,
    administration,
    tokens,
    checkToken,
    revokePresentedToken,
  }: {
    readonly manager: Pick<AuthenticationManager, 'authenticateClient'>;
    readonly administration: AccountAdministration;
    readonly tokens: AccessTokens;
    readonly checkToken: CheckToken;
    readonly revokePresentedToken: RevokeTokenDependencies['revokePresentedToken'];
  },
): Part {
  const { settings, database, clientSecrets: secrets, sessions, clock, log } = foundation;
  const { tenantRequired, refuseSamples } = foundation;
  const { used, close } = recordLastUsed({ database, clock, log, store: secrets.recordUses });
  const limiting = {
    database,
    clock,
    log,
    store: settings['app.security.m2m.rate-limit.store'],
    windowMs: settings['app.security.m2m.rate-limit.window'],
  };
  const points = settings['app.security.m2m.rate-limit.points'];
  const introspectionPoints = settings['app.security.m2m.rate-limit.introspection-points'];
  const grants = createRateLimit({ ...limiting, name: 'm2m', points });
  const introspections = createRateLimit({ ...limiting, name: 'm2m-introspection', points: introspectionPoints });
  // The default of DEV.
  if (!grants && settings['app.env'] !== 'DEV') {
    log.warn(
      'app.security.m2m.rate-limit.store is none: token requests are not limited; memory, database or a ' +
        'redis:// URL limits them',
    );
  }
  const authentication = createClientAuthentication({
    authenticateClient: manager.authenticateClient,
    secrets,
    clock,
    refuseSamples,
    used,
  });
  const retries = createBackgroundRetries({
    // Taken back twice, an event would let one too many through.
    isTemporary: (error) => error instanceof DependencyUnavailableError && !isOutcomeUnknown(error),
    onGiveUp: (error) => log.warn({ err: error }, 'a token request that failed counts for the rate limit'),
  });
  const rateLimit = createClientRateLimit({ grants, introspections, retries });
  return {
    services: [
      clientCredentialsService({
        database,
        administration,
        tokens,
        clock,
        tenantRequired,
        authentication,
        rateLimit,
        checkToken,
        revokePresentedToken,
        authenticateCaller: createAuthenticateCaller({ authentication, rateLimit, clock }),
        isApiKey,
        findAuthentication: sessions.findAuthenticated,
        audience: settings['app.security.jwt.audience'],
        accessTokenTtlMs: settings['app.security.m2m.access-token-ttl'],
      }),
    ],
    metrics: [...(grants?.metrics ?? []), ...(introspections?.metrics ?? [])],
    async close() {
      await close();
      await retries.stop();
      await grants?.close();
      await introspections?.close();
    },
  };
}
