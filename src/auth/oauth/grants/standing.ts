// Whether an account, its tenant, its session and its application still allow what a user has granted. Judged anew at each use, so
// that whatever ends one of them ends the grant at once.
import type { Clock } from '../../../platform/clock.ts';
import { isOwnPermission } from '../../../platform/formats/names.ts';
import type { Account } from '../../access/account.ts';
import { finding, type Finding } from '../../access/findings.ts';
import { permissionNamed } from '../../access/roles/built-in-roles.ts';
import type { TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { FoundAccount } from '../../identity/account-row.ts';
import { findIneligibility } from '../../identity/authentication/eligibility.ts';
import { isOpen } from '../../session/open-session.ts';
import { isWithoutRequiredFactor } from '../../session/session-limits.ts';
import type { AuthenticatedSession, SessionAddress } from '../../session/session.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { isCommandLine } from '../applications/command-line.ts';
import type { AuthorizationCode } from '../codes/code-store.ts';

/** Reads an account at every call. */
export interface FindAccounts {
  find(account: { readonly tenantId: string | undefined; readonly id: string }): Promise<FoundAccount | undefined>;
}

/** Reads a session at every call. */
export interface FindSessions {
  findAuthenticated(session: SessionAddress): Promise<AuthenticatedSession | undefined>;
}

export interface StandingDependencies {
  readonly accounts: FindAccounts;
  readonly sessions: FindSessions;
  readonly policies: Pick<Policies, 'of'>;
  readonly clock: Clock;
}

/** What a user has granted: a code, or a grant. */
type Granted = Pick<AuthorizationCode, 'tenantId' | 'accountId' | 'sessionId' | 'methods'> & {
  /** Whether it outlives its session. */
  readonly offline: boolean;
};

/** Those who take part in a grant, as they are now. */
export interface Standing {
  readonly found: FoundAccount;
  readonly policy: TenantPolicy;
  /** Undefined for a grant that outlives its session. */
  readonly session: AuthenticatedSession | undefined;
}

export type FindStanding = (
  granted: Granted,
  application: ClientApplication,
) => Promise<Standing | { readonly refusal: string }>;

export function createFindStanding({ accounts, sessions, policies, clock }: StandingDependencies): FindStanding {
  return async (granted, application) => {
    const { tenantId, accountId, sessionId, offline } = granted;
    const [found, session] = await Promise.all([
      accounts.find({ tenantId, id: accountId }),
      offline ? undefined : sessions.findAuthenticated({ tenantId, id: sessionId }),
    ]);
    const now = clock();
    const ineligibility = findIneligibility('refresh-token', found, now);
    if (!found || ineligibility) return { refusal: ineligibility!.detail };
    const policy = policies.of(found.definitions);
    const refusal = findRefusal(application, found.account, policy)?.detail;
    if (refusal !== undefined) return { refusal };
    if (!offline && !(session && isOpen(session, { account: found.account, id: sessionId, policy, now })))
      return { refusal: 'the session has ended' };
    if (isWithoutRequiredFactor({ methods: session?.methods ?? granted.methods }, found.account, policy.effective))
      return { refusal: 'the tenant requires a second factor, which the login had not' };
    return { found, policy, session };
  };
}

/** Returns why an application gets nothing for an account; undefined if it can. */
export function findRefusal(
  application: ClientApplication,
  account: Account,
  policy: TenantPolicy,
): Finding | undefined {
  const { clientId, requiredPermission: permission } = application;
  if (application.disabled) return finding('APPLICATION_DISABLED', { clientId });
  if (!servesAccount(application, account, policy)) return finding('APPLICATION_NOT_FOR_ACCOUNT', { clientId });
  return isPermitted(application, account)
    ? undefined
    : finding('APPLICATION_NOT_PERMITTED', { clientId, permission: permission! });
}

/** Whether an application is for an account: the command line is for all. Others are for accounts of the same tenant, or for all tenants if the account's tenant shares applications. */
export function servesAccount(
  { id, tenantId }: Pick<ClientApplication, 'id' | 'tenantId'>,
  account: Pick<Account, 'tenantId'>,
  { effective }: TenantPolicy,
): boolean {
  if (isCommandLine({ id })) return true;
  if (account.tenantId === undefined) return false;
  return tenantId === undefined ? effective.sharedApplications : tenantId === account.tenantId;
}

/** Whether an account holds the permission that an application requires. */
export function isPermitted(
  { requiredPermission: required }: Pick<ClientApplication, 'requiredPermission'>,
  { rights: { permissions } }: Account,
): boolean {
  if (required === undefined) return true;
  const permission = isOwnPermission(required) ? required : permissionNamed(required);
  return permission !== undefined && permissions.has(permission);
}
