// The checks that codes and tokens of applications have in common: by the rules of `grants/standing.ts`, one after the other.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { describePolicyValue, type TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { FoundAccount } from '../../identity/account-row.ts';
import { findIneligibility } from '../../identity/authentication/eligibility.ts';
import { checkOf, explainAccount, fail, pass, type Check } from '../../identity/explain/credential-check.ts';
import { explainPolicy } from '../../identity/explain/explain-policy.ts';
import { sessionRevocation } from '../../session/explain-refresh.ts';
import { isOpen } from '../../session/open-session.ts';
import { isWithoutRequiredFactor, WITHOUT_FACTOR } from '../../session/session-limits.ts';
import type { AuthenticatedSession } from '../../session/session.ts';
import type { FoundApplication } from '../applications/application-loader-store.ts';
import type { AuthorizationCode } from '../codes/code-store.ts';
import { findRefusal, type FindAccounts, type FindSessions } from '../grants/standing.ts';
import type { Scope } from '../scopes.ts';

export interface GrantedCheckDependencies {
  readonly database: Database;
  readonly accounts: FindAccounts;
  readonly sessions: FindSessions;
  readonly policies: Pick<Policies, 'of'>;
  readonly clock: Clock;
}

/** A code or a grant. */
type Granted = Pick<AuthorizationCode, 'tenantId' | 'accountId' | 'sessionId' | 'methods'> & {
  /** Whether it outlives its session. */
  readonly offline: boolean;
};

/**
 * Returns the checks of the application, the account and the session of a code or a grant, as they are now.
 *
 * @param refuse Returns why the application refuses it besides; undefined if it does not.
 */
export type CheckGranted = (
  granted: Granted,
  found: FoundApplication | undefined,
  refuse?: (application: FoundApplication['application']) => string | undefined,
) => Promise<readonly Check[]>;

export function createCheckGranted(options: GrantedCheckDependencies): CheckGranted {
  const { database, accounts, sessions, policies, clock } = options;

  return async (granted, found, refuse = () => undefined) => {
    const { tenantId, accountId, sessionId: id, offline } = granted;
    const owner = await accounts.find({ tenantId, id: accountId });
    const policy = policies.of(owner?.definitions);
    const session = offline ? undefined : await sessions.findAuthenticated({ tenantId, id });
    const now = clock();
    return [
      applicationCheck(found, owner, policy, refuse),
      ...explainAccount(owner, (account) => findIneligibility('refresh-token', account, now)?.detail),
      await sessionCheck(granted, session, owner, policy, now),
      ...(owner ? [factorCheck(session ?? granted, owner, policy), explainPolicy('grant', policy)] : []),
    ];
  };

  async function sessionCheck(
    { tenantId, sessionId: id, offline }: Granted,
    session: AuthenticatedSession | undefined,
    owner: FoundAccount | undefined,
    policy: TenantPolicy,
    now: number,
  ): Promise<Check> {
    if (offline) return pass('SESSION', `the grant outlives session ${id}`);
    if (session && owner && isOpen(session, { account: owner.account, id, policy, now }))
      return pass('SESSION', `session ${id} is open`, session.createdAt);
    const revocation = await sessionRevocation(database, { tenantId, id });
    return fail('SESSION', revocation?.detail ?? `session ${id} has expired`, revocation?.at ?? session?.expiresAt);
  }
}

function applicationCheck(
  found: FoundApplication | undefined,
  owner: FoundAccount | undefined,
  policy: TenantPolicy,
  refuse: (application: FoundApplication['application']) => string | undefined,
): Check {
  if (!found) return fail('APPLICATION', 'the application was deleted');
  const { application, tenantStatus } = found;
  const suspended =
    application.tenantId !== undefined && tenantStatus !== 'ACTIVE' ? 'its tenant is suspended' : undefined;
  const refusal = (owner && findRefusal(application, owner.account, policy)) ?? suspended ?? refuse(application);
  const { clientId, name } = application;
  return checkOf('APPLICATION', refusal && `${clientId}: ${refusal}`, `${clientId}, ${name}, serves the account`);
}

export const describeScopes = (scopes: readonly Scope[]): string =>
  scopes.length === 0 ? 'without a scope' : `with the scopes ${scopes.join(' ')}`;

function factorCheck({ methods }: Pick<Granted, 'methods'>, { account }: FoundAccount, policy: TenantPolicy): Check {
  const rule = describePolicyValue(policy, 'secondFactor');
  const isMissing = isWithoutRequiredFactor({ methods }, account, policy.effective);
  const passed = `the methods of the login, ${methods.join(' ')}, are enough (${rule})`;
  return checkOf('SECOND_FACTOR', isMissing ? `${WITHOUT_FACTOR} (${rule})` : undefined, passed);
}
