// All services of the core. Each gets what it names, and nothing else.
import { auditHandlers, auditService } from '../auth/audit/service.ts';
import { envoyAuthorizationService } from '../auth/envoy/service.ts';
import { factorService } from '../auth/factors/service.ts';
import { canonicalUsername } from '../auth/identity/login-name.ts';
import { countUsers } from '../auth/identity/users/account-list-store.ts';
import { createVerifyPrincipal } from '../auth/identity/authentication/verify-access.ts';
import { signCompact } from '../auth/keys/compact-jws.ts';
import { keyHandlers, keyService } from '../auth/keys/service.ts';
import { roleService } from '../auth/role/service.ts';
import { selectApplicationNames } from '../auth/oauth/applications/application-store.ts';
import { withShared } from '../auth/oauth/applications/change-application.ts';
import { applicationService } from '../auth/oauth/applications/service.ts';
import { createCountAffected } from '../auth/session/limits/count-affected.ts';
import { createProveSession } from '../auth/session/prove-session.ts';
import { createRevokePresentedToken } from '../auth/session/revocation/revoke-token.ts';
import { selectSessions } from '../auth/session/session-list-store.ts';
import { tenancyService } from '../auth/tenancy/service.ts';
import { findTenant, tenantExists } from '../auth/tenancy/tenant-store.ts';
import { createAccounts } from './accounts.ts';
import { applicationChecks, commandLineRules } from './applications.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Authentication } from './authentication.ts';
import { createClientCredentials } from './client-credentials.ts';
import { createClients } from './clients.ts';
import { createApiKeys, createCredentialChecks, createExplainers, type CredentialChecks } from './credential-checks.ts';
import type { Foundation, Part } from './foundation.ts';
import { createIdentity } from './identity.ts';
import type { Mail } from './mail.ts';
import type { Grants } from './grants.ts';
import { createOauth } from './oauth.ts';
import { createSessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

/** The shortest page of a list, whose total is wanted. */
const FIRST_ITEM = { page: 1, perPage: 1, offset: 0, after: undefined };

/** Builds all services and the credential checks that the host runs before each call. */
export function createServices(
  foundation: Foundation,
  tokens: Tokens,
  authentication: Authentication,
  { mail, auditTrail, grants }: { readonly mail: Mail; readonly auditTrail: AuditTrail; readonly grants: Grants },
): { readonly parts: readonly Part[]; readonly checks: CredentialChecks } {
  const { settings, database, definitions, policies, sessions, audit, clock, disclosure } = foundation;
  const { notify } = mail;
  const { challenges, revocations } = foundation;
  const { passkeys, totpSecrets } = tokens;
  const accounts = createAccounts(foundation, tokens, grants);
  const { administration, endSession, endSessions, endOtherSessions } = accounts;
  const apiKeys = createApiKeys(foundation, administration);
  const checks = createCredentialChecks(foundation, tokens, grants, apiKeys);
  const { authenticate: authenticateCredentials, checkToken, requireStepUp } = checks;
  const verifyPrincipal = createVerifyPrincipal({ definitions, requireStepUp });

  const clients = createClients(foundation, authentication.manager);
  const keys = keyHandlers({
    chains: tokens.chains,
    audit,
    revokeTokensOf: (tx, kid, longestTokenMs, deadline) =>
      tokens.blacklist.addKey(tx, kid, clock() + longestTokenMs, deadline),
  });
  const sessionParts = createSessions(foundation, {
    tokens,
    accounts,
    authentication,
    keys,
    notify,
    mail: mail.links !== undefined,
  });
  const auditing = auditHandlers({
    database,
    clock,
    findAccountId: async (username) =>
      (await foundation.accounts.findByUsername(canonicalUsername(username) ?? ''))?.account.id,
    hashLoad: authentication.hashLoad,
    audit,
    sealKey: auditTrail.sealKey,
    auditFeed: auditTrail.auditFeed,
    auditCursors: auditTrail.auditCursors,
    auditStreamsPerAccount: settings['app.audit.streams-per-account'],
    sign: async (type, claims) => signCompact(await tokens.keys.signer(), type, claims),
    issuer: settings['app.security.jwt.issuer'],
    selectApplicationNames: (scope, clientIds) => selectApplicationNames(database, withShared(scope), clientIds),
    async countOpenSessions(scope, reader) {
      const filter = { scope, accountId: undefined, policies: await foundation.sessionLimits.conditionsFor(scope) };
      return selectSessions(database, filter, clock(), { ...FIRST_ITEM, reader });
    },
  });
  return {
    checks,
    parts: [
      createIdentity(foundation, {
        accounts,
        authentication,
        checks,
        explainers: createExplainers(foundation, tokens, grants, sessionParts.isUndecided),
        verifyPrincipal,
        mail,
      }),
      sessionParts,
      {
        services: [
          factorService({
            database,
            challenges,
            policies,
            passkeys,
            totpSecrets,
            totpIssuer: settings['app.brand.name'],
            notify,
            proveSession: createProveSession({ sessions, policies }),
            administration,
            endSessions,
            endOtherSessions,
          }),
          keyService(keys),
          auditService(auditing),
          tenancyService(
            {
              database,
              policies,
              challenges,
              revocations,
              audit,
              clock,
              countAffected: createCountAffected({
                database,
                definitions,
                countByRoles: administration.countByRoles,
                countUsers: (tenantId, which, reader) => countUsers(database, tenantId, which, clock(), reader),
                sessionLimits: foundation.sessionLimits,
                clock,
              }),
            },
            auditing,
          ),
          roleService({ database, definitions, audit, clock, administration }),
          envoyAuthorizationService({
            authenticateCredentials,
            verifyPrincipal,
            disclosure,
            maxStackTraceChars: settings['app.api.error-disclosure.max-stack-trace-chars'],
          }),
          applicationService({
            ...applicationChecks(foundation),
            revocations,
            audit,
            clock,
            ...commandLineRules(settings),
            tenantExists: (id) => tenantExists(database, id),
            policies,
            issuer: settings['app.security.jwt.issuer'],
            findUser: (scope, username) => foundation.accounts.findInScope(scope, { username }),
            findTenantName: async (id) => (await findTenant(database, id))?.name,
          }),
        ],
      },
      apiKeys,
      clients,
      createOauth(foundation, { tokens, accounts, clients, grants, notify, authentication }),
      createClientCredentials(foundation, {
        clients,
        accounts,
        requireFresh: checks.requireFresh,
        tokens: tokens.tokens,
        checkToken,
        revokePresentedToken: createRevokePresentedToken({
          sessions,
          audit,
          transports: tokens.transports,
          blacklist: tokens.blacklist,
          checkToken,
          endSession,
          endGrant: accounts.endGrant,
          lockAccount: accounts.writer.lock,
        }),
        ...grants.callerTokens,
      }),
    ],
  };
}
