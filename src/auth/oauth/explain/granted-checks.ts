// The checks that codes and tokens of applications have in common: by the rules of `grants/standing.ts`, one after the other.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { finding, type Finding } from '../../access/findings.ts';
import { policyParams, type TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { FoundAccount } from '../../identity/account-row.ts';
import { findIneligibility } from '../../identity/authentication/eligibility.ts';
import { checkOf, explainAccount, fail, pass, type Check } from '../../identity/explain/credential-check.ts';
import { explainPolicy } from '../../identity/explain/explain-policy.ts';
import { sessionRevocation } from '../../session/explain-refresh.ts';
import { isOpen } from '../../session/open-session.ts';
import { isWithoutRequiredFactor } from '../../session/session-limits.ts';
import type { AuthenticatedSession } from '../../session/session.ts';
import type { FoundApplication } from '../applications/application-loader-store.ts';
import type { AuthorizationCode } from '../codes/code-store.ts';
import { findRefusal, type FindAccounts, type FindSessions } from '../grants/standing.ts';

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
  refuse?: (application: FoundApplication['application']) => Finding | undefined,
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
      ...explainAccount(owner, (account) => findIneligibility('refresh-token', account, now)),
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
    if (offline) return pass('SESSION', finding('SESSION_OUTLIVED', { session: id }));
    if (session && owner && isOpen(session, { account: owner.account, id, policy, now }))
      return pass('SESSION', finding('SESSION_OPEN', { session: id }), session.createdAt);
    const revocation = await sessionRevocation(database, { tenantId, id });
    const refusal = revocation?.finding ?? finding('SESSION_EXPIRED', { session: id });
    return fail('SESSION', refusal, revocation?.at ?? session?.expiresAt);
  }
}

function applicationCheck(
  found: FoundApplication | undefined,
  owner: FoundAccount | undefined,
  policy: TenantPolicy,
  refuse: (application: FoundApplication['application']) => Finding | undefined,
): Check {
  if (!found) return fail('APPLICATION', finding('APPLICATION_DELETED'));
  const { application, tenantStatus } = found;
  const { clientId, name, tenantId } = application;
  const isSuspended = tenantId !== undefined && tenantStatus !== 'ACTIVE';
  const suspended = isSuspended ? finding('APPLICATION_TENANT_SUSPENDED', { clientId, tenant: tenantId }) : undefined;
  const refusal = (owner && findRefusal(application, owner.account, policy)) ?? suspended ?? refuse(application);
  return checkOf('APPLICATION', refusal, finding('APPLICATION_SERVES_ACCOUNT', { clientId, application: name }));
}

function factorCheck({ methods }: Pick<Granted, 'methods'>, { account }: FoundAccount, policy: TenantPolicy): Check {
  const params = { methods: methods.join(' '), ...policyParams(policy, 'secondFactor') };
  return isWithoutRequiredFactor({ methods }, account, policy.effective)
    ? fail('SECOND_FACTOR', finding('FACTOR_MISSING', params))
    : pass('SECOND_FACTOR', finding('METHODS_OF_LOGIN_SUFFICE', params));
}
