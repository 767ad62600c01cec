import { requiresFactor } from '../auth/factors/decide-factors.ts';
import { endCodes, factorsSince } from '../auth/factors/secure-factors.ts';
import type { VerifyPrincipal } from '../auth/identity/authentication/verify-access.ts';
import { emailService } from '../auth/identity/email/service.ts';
import { invitationService } from '../auth/identity/invitation/service.ts';
import { mailRecovery } from '../auth/identity/recovery/send-recovery.ts';
import type { RecoverableAccount } from '../auth/identity/recovery/recoverable-account.ts';
import { recoveryService } from '../auth/identity/recovery/service.ts';
import { identityService } from '../auth/identity/service.ts';
import { createUserCreation } from '../auth/identity/users/create-user.ts';
import { createDisableAccounts } from '../auth/identity/users/disable-accounts.ts';
import { countLiveOf } from '../auth/oauth/grants/grant-list-store.ts';
import { createIsSessionOpen } from '../auth/session/open-session.ts';
import { selectNewNetworks } from '../auth/session/session-list-store.ts';
import type { Explainers } from '../auth/identity/explain/explain-credential.ts';
import { createReadMailStates } from '../auth/mail/mail-state-store.ts';
import { findTenant } from '../auth/tenancy/tenant-store.ts';
import type { Statements } from '../platform/db/types.ts';
import type { Accounts } from './accounts.ts';
import type { Authentication } from './authentication.ts';
import type { CredentialChecks } from './credential-checks.ts';
import type { Foundation, Part } from './foundation.ts';
import type { Mail } from './mail.ts';

interface IdentityParts {
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly checks: CredentialChecks;
  readonly explainers: Explainers;
  readonly verifyPrincipal: VerifyPrincipal;
  readonly mail: Mail;
}

/** Creates the service of accounts, and those of recovery, addresses and invitations if mail is on. */
export function createIdentity(
  foundation: Foundation,
  {
    accounts: { administration, endSessions, endSessionsAlone },
    authentication,
    checks,
    explainers,
    verifyPrincipal,
    mail,
  }: IdentityParts,
): Part {
  const { database, accounts, sessions, challenges, policies, audit, clock, disclosure, log } = foundation;
  const { manager, hasher, checkPassword } = authentication;
  const { authenticate: authenticateCredentials, requireFresh } = checks;
  const { notify, links } = mail;
  const userDependencies = {
    accounts,
    policies,
    clock,
    disclosure,
    manager,
    hasher,
    checkPassword,
    administration,
    endSessions,
    endSessionsAlone,
    notify,
    authenticateCredentials,
    verifyPrincipal,
    requireFresh,
    requiresFactor,
    invitations: links?.invitations,
    readMailStates: createReadMailStates(database),
    findTenantName: async (id: string) => (await findTenant(database, id))?.name,
    explainers,
    audit,
    securedParts: {
      countGrants: countLiveOf,
      countChallenges: challenges.countOpen,
      endCodes,
      factorsSince,
      newNetworks: selectNewNetworks,
    },
    mailRecovery: links && ((tx: Statements, account: RecoverableAccount) => mailRecovery(tx, account, links)),
  };
  const identity = identityService(userDependencies);
  const jobs = [createDisableAccounts({ database, administration, endSessions, audit, clock, log })];
  if (links === undefined) return { services: [identity], jobs };
  const { outbox, mailTokens, mailLimits, invitations } = links;
  return {
    jobs,
    services: [
      identity,
      recoveryService({
        database,
        accounts,
        policies,
        audit,
        clock,
        hasher,
        checkPassword,
        administration,
        endSessions,
        notify,
        outbox,
        mailTokens,
        mailLimits,
      }),
      emailService({
        accounts,
        audit,
        clock,
        administration,
        isSessionOpen: createIsSessionOpen({ sessions, policies }),
        notify,
        outbox,
        mailTokens,
        mailLimits,
      }),
      invitationService({
        accounts,
        audit,
        clock,
        hasher,
        checkPassword,
        administration,
        invitations,
        mailTokens,
        createUser: createUserCreation(userDependencies).createChecked,
      }),
    ],
  };
}
