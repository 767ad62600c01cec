import { auditHandlers, auditService } from '../auth/audit/service.ts';
import { keyHandlers, keyService } from '../auth/keys/service.ts';
import { createBackgroundRetries } from '../platform/concurrency/background-retries.ts';
import { envoyAuthorizationService } from '../auth/envoy/service.ts';
import { DependencyUnavailableError } from '../platform/errors.ts';
import { factorService } from '../auth/factors/service.ts';
import { createChallenges } from '../auth/factors/challenges.ts';
import { requiresFactor } from '../auth/factors/decide-factors.ts';
import { createConfirmTotp } from '../auth/factors/confirm-totp.ts';
import { createUseCode } from '../auth/factors/use-code.ts';
import { createAccountWriter, endInvitationsOfTenant } from '../auth/identity/account-store.ts';
import { createVerifyPrincipal } from '../auth/identity/authentication/verify-access.ts';
import { emailService } from '../auth/identity/email/service.ts';
import { invitationService } from '../auth/identity/invitation/service.ts';
import { identityService } from '../auth/identity/service.ts';
import { recoveryService } from '../auth/identity/recovery/service.ts';
import { createAccountAdministration, type EndSessions } from '../auth/identity/users/account-administration.ts';
import {
  createEndAllSessions,
  createEndOtherSessions,
  createEndSession,
} from '../auth/session/revocation/end-sessions.ts';
import { createAnswerCounts, createConfirmationCounts } from '../auth/session/login/count-answers.ts';
import { createRevocationFeed } from '../auth/session/revocation/revocation-feed.ts';
import { createRevokePresentedToken } from '../auth/session/revocation/revoke-token.ts';
import { createIsSessionOpen } from '../auth/session/open-session.ts';
import { createProveSession } from '../auth/session/prove-session.ts';
import { createSessionRotation, SETTLED_ROTATIONS_CLEANUP } from '../auth/session/rotation/rotate.ts';
import { sessionService } from '../auth/session/service.ts';
import { selectSessions } from '../auth/session/session-list-store.ts';
import { SESSIONS_CLEANUP } from '../auth/session/session-store.ts';
import { roleService } from '../auth/role/service.ts';
import { signCompact } from '../auth/keys/compact-jws.ts';
import { tenancyService } from '../auth/tenancy/service.ts';
import { findTenant, tenantExists } from '../auth/tenancy/tenant-store.ts';
import { createApiKeys, createCredentialChecks, createExplainers, type CredentialChecks } from './credential-checks.ts';
import type { Authentication } from './authentication.ts';
import { createClientCredentials } from './client-credentials.ts';
import { factorOptions } from './factors.ts';
import { refreshCookie, type Tokens } from './tokens.ts';
import type { Foundation, Part } from './foundation.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Mail } from './mail.ts';

/** The shortest page of a list, whose total is wanted. */
const FIRST_ITEM = { page: 1, perPage: 1, offset: 0, after: undefined };

/** Builds all services and the credential checks that the host runs before each call. */
export function createServices(
  foundation: Foundation,
  tokens: Tokens,
  authentication: Authentication,
  { mail, auditTrail }: { readonly mail: Mail; readonly auditTrail: AuditTrail },
): { readonly parts: readonly Part[]; readonly checks: CredentialChecks } {
  const { settings, database, definitions, sessions, clock, log } = foundation;
  const { manager } = authentication;
  const { blacklist } = tokens;
  const retries = createBackgroundRetries({
    isTemporary: (error) => error instanceof DependencyUnavailableError,
    onGiveUp: (error) => log.error({ err: error }, 'a background write of sessions was given up'),
  });
  const rotation = createSessionRotation({ ...foundation, retries });
  const writer = createAccountWriter(database, definitions);
  const endAllSessions = createEndAllSessions({ ...foundation, accounts: writer });
  const endSessions: EndSessions = (tx, account, deadline) => endAllSessions(tx, account, 'account-changed', deadline);
  const administration = createAccountAdministration({
    ...foundation,
    endSessions,
    tenantExists: (id) => tenantExists(database, id),
  });

  const apiKeys = createApiKeys(foundation, administration);
  const checks = createCredentialChecks(foundation, tokens, apiKeys);
  const { authenticate: authenticateCredentials, checkToken, requireStepUp, requireFresh } = checks;
  const ending = { endSession: createEndSession({ sessions, blacklist, clock }), lockAccount: writer.lock };
  const endOtherSessions = createEndOtherSessions({ ...foundation, endSession: ending.endSession });
  const verifyPrincipal = createVerifyPrincipal({ definitions, requireStepUp });
  const identity = identityService({
    ...foundation,
    ...authentication,
    administration,
    endSessions,
    notify: mail.notify,
    authenticateCredentials,
    verifyPrincipal,
    requireFresh,
    requiresFactor,
    invitations: mail.links?.invitations,
    findTenantName: async (id) => (await findTenant(database, id))?.name,
    explainers: createExplainers(foundation, tokens, rotation.isUndecided),
  });
  const byMail = mail.links && {
    ...foundation,
    ...authentication,
    ...mail.links,
    administration,
    endSessions,
    notify: mail.notify,
    isSessionOpen: createIsSessionOpen(foundation),
  };
  const answerCounts = createAnswerCounts();
  const confirmationCounts = createConfirmationCounts();
  const keys = keyHandlers({ ...foundation, ...tokens });
  const auditing = auditHandlers({
    ...foundation,
    hashLoad: authentication.hashLoad,
    ...auditTrail,
    sign: async (type, claims) => signCompact(await tokens.keys.signer(), type, claims),
    issuer: settings['app.security.jwt.issuer'],
    auditStreamsPerAccount: settings['app.audit.streams-per-account'],
    countOpenSessions: (scope, reader) =>
      selectSessions(database, { scope, accountId: undefined }, clock(), { ...FIRST_ITEM, reader }),
  });
  const session = sessionService(
    {
      ...foundation,
      ...authentication,
      ...tokens,
      ...ending,
      rotate: rotation.rotate,
      retries,
      issuer: settings['app.security.jwt.issuer'],
      cookie: refreshCookie(settings),
      endAllSessions,
      endOtherSessions,
      administration,
      answerCounts,
      confirmationCounts,
      loginChallenges: createChallenges({ store: foundation.challenges, clock }),
      lockAccountWithTenant: writer.lockWithTenant,
      notify: mail.notify,
      guardAccount: writer.guard,
      useCode: createUseCode({ ...foundation, secrets: tokens.totpSecrets, notify: mail.notify }),
      confirmTotp: createConfirmTotp(tokens.totpSecrets),
      factorOptions: factorOptions(settings),
      serviceName: settings['app.brand.name'],
      mail: mail.links !== undefined,
      apiKeys: settings['app.security.api-key.enabled'],
      feed: createRevocationFeed(foundation),
      streamsPerAccount: settings['app.security.revocations.streams-per-account'],
    },
    keys,
  );
  const factors = factorService({
    ...foundation,
    passkeys: tokens.passkeys,
    totpSecrets: tokens.totpSecrets,
    totpIssuer: settings['app.brand.name'],
    notify: mail.notify,
    proveSession: createProveSession(foundation),
    administration,
    endSessions,
    endOtherSessions,
  });
  const envoy = envoyAuthorizationService({
    ...foundation,
    authenticateCredentials,
    verifyPrincipal,
    maxStackTraceChars: settings['app.api.error-disclosure.max-stack-trace-chars'],
  });
  const clientCredentials = createClientCredentials(foundation, {
    manager,
    administration,
    tokens: tokens.tokens,
    checkToken,
    revokePresentedToken: createRevokePresentedToken({ ...foundation, ...tokens, ...ending, checkToken }),
  });
  return {
    checks,
    parts: [
      {
        services: [
          identity,
          ...(byMail ? [recoveryService(byMail), emailService(byMail), invitationService(byMail)] : []),
          session,
          factors,
          keyService(keys),
          auditService(auditing),
          tenancyService({ ...foundation, endInvitations: endInvitationsOfTenant }, auditing),
          roleService({ ...foundation, administration }),
          envoy,
        ],
        cleanupTargets: [SESSIONS_CLEANUP, SETTLED_ROTATIONS_CLEANUP],
        metrics: [answerCounts.metric, confirmationCounts.metric],
        async close() {
          await retries.stop();
          await rotation.close();
        },
      },
      apiKeys,
      clientCredentials,
    ],
  };
}
