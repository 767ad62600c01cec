import { createBackgroundRetries } from '../platform/concurrency/background-retries.ts';
import { envoyAuthorizationService } from '../auth/envoy/service.ts';
import { DependencyUnavailableError } from '../platform/errors.ts';
import { createAccountWriter } from '../auth/identity/account-store.ts';
import { identityService } from '../auth/identity/service.ts';
import { createAccountAdministration, type EndSessions } from '../auth/identity/users/account-administration.ts';
import { createEndAllSessions, createEndSession } from '../auth/session/revocation/end-sessions.ts';
import { createRevokePresentedToken } from '../auth/session/revocation/revoke-token.ts';
import { createSessionRotation, SETTLED_ROTATIONS_CLEANUP } from '../auth/session/rotation/rotate.ts';
import { sessionService } from '../auth/session/service.ts';
import { SESSIONS_CLEANUP } from '../auth/session/session-store.ts';
import { tenancyService } from '../auth/tenancy/service.ts';
import { tenantExists } from '../auth/tenancy/tenant-store.ts';
import { createApiKeys, createCredentialChecks, createExplainers, type CredentialChecks } from './credential-checks.ts';
import type { Authentication } from './authentication.ts';
import { createBusiness } from './business.ts';
import { createClientCredentials } from './client-credentials.ts';
import { refreshCookie, type Tokens } from './tokens.ts';
import type { Foundation, Part } from './foundation.ts';

/** Builds all services and the credential checks that the host runs before each call. */
export async function createServices(
  foundation: Foundation,
  tokens: Tokens,
  authentication: Authentication,
): Promise<{ readonly parts: readonly Part[]; readonly checks: CredentialChecks }> {
  const { settings, database, accounts, sessions, audit, clock, log, tracer } = foundation;
  const { hasher, manager, checkPassword, failureLimits } = authentication;
  const { transports, keys, blacklist } = tokens;
  const disclosure = settings['app.api.error-disclosure.mode'];
  const retries = createBackgroundRetries({
    isTemporary: (error) => error instanceof DependencyUnavailableError,
    onGiveUp: (error) => log.error({ err: error }, 'a background write of sessions was given up'),
  });
  const rotation = createSessionRotation({ database, sessions, retries, clock, tracer });
  const writer = createAccountWriter(database);
  const endAllSessions = createEndAllSessions({ sessions, accounts: writer, clock });
  const endSessions: EndSessions = (tx, account, deadline) => endAllSessions(tx, account, 'account-changed', deadline);
  const administration = createAccountAdministration({
    database,
    accounts,
    audit,
    endSessions,
    tenantExists: (id) => tenantExists(database, id),
    clock,
  });

  const apiKeys = createApiKeys(foundation);
  const checks = createCredentialChecks(foundation, tokens, apiKeys);
  const { authenticate, checkToken } = checks;
  const endSession = createEndSession({ sessions, blacklist, clock });
  const lockAccount = writer.lock;
  const identity = identityService({
    administration,
    manager,
    hasher,
    checkPassword,
    endSessions,
    clock,
    authenticateCredentials: authenticate,
    disclosure,
    explainers: createExplainers(foundation, tokens, rotation.isUndecided),
  });
  const session = sessionService({
    database,
    sessions,
    accounts,
    audit,
    clock,
    manager,
    failureLimits,
    transports,
    keys,
    tokens: tokens.tokens,
    blacklist,
    endSession,
    lockAccount,
    rotate: rotation.rotate,
    retries,
    disclosure,
    issuer: settings['app.security.jwt.issuer'],
    cookie: refreshCookie(settings),
    sessionsPerAccount: settings['app.security.sessions-per-account'],
    endAllSessions,
    administration,
  });
  const tenancy = tenancyService({ database, audit, clock });
  const envoy = envoyAuthorizationService({
    authenticateCredentials: authenticate,
    disclosure,
    maxStackTraceChars: settings['app.api.error-disclosure.max-stack-trace-chars'],
  });
  const clientCredentials = createClientCredentials(foundation, {
    manager,
    administration,
    tokens: tokens.tokens,
    checkToken,
    revokePresentedToken: createRevokePresentedToken({
      sessions,
      transports,
      checkToken,
      audit,
      endSession,
      blacklist,
      lockAccount,
    }),
  });
  return {
    checks,
    parts: [
      {
        services: [identity, session, tenancy, envoy],
        cleanupTargets: [SESSIONS_CLEANUP, SETTLED_ROTATIONS_CLEANUP],
        async close() {
          await retries.stop();
          await rotation.close();
        },
      },
      apiKeys,
      clientCredentials,
      await createBusiness(foundation),
    ],
  };
}
