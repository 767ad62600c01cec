import { requiresFactor } from '../auth/factors/decide-factors.ts';
import type { VerifyPrincipal } from '../auth/identity/authentication/verify-access.ts';
import { emailService } from '../auth/identity/email/service.ts';
import { invitationService } from '../auth/identity/invitation/service.ts';
import { recoveryService } from '../auth/identity/recovery/service.ts';
import { identityService } from '../auth/identity/service.ts';
import { createIsSessionOpen } from '../auth/session/open-session.ts';
import type { Explainers } from '../auth/identity/explain/explain-credential.ts';
import { findTenant } from '../auth/tenancy/tenant-store.ts';
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
  const { database, accounts, sessions, policies, audit, clock, disclosure } = foundation;
  const { manager, hasher, checkPassword } = authentication;
  const { authenticate: authenticateCredentials, requireFresh } = checks;
  const { notify, links } = mail;
  const identity = identityService({
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
    findTenantName: async (id) => (await findTenant(database, id))?.name,
    explainers,
  });
  if (links === undefined) return { services: [identity] };
  const { outbox, mailTokens, mailLimits, invitations } = links;
  return {
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
      invitationService({ accounts, audit, clock, hasher, checkPassword, administration, invitations, mailTokens }),
    ],
  };
}
