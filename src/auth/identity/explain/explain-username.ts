import type { Clock } from '../../../platform/clock.ts';
import { finding, type Finding } from '../../access/findings.ts';
import { policyParams, type TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Account, StoredAccount } from '../../access/account.ts';
import type { AccountStore } from '../account-store.ts';
import { fail, checkOf, pass, explainAccount, type Check, type Explain } from './credential-check.ts';
import { explainPolicy } from './explain-policy.ts';
import {
  findIneligibility,
  isPast,
  type AccountWithTenant,
  type Ineligibility,
} from '../authentication/eligibility.ts';
import { passwordExpired } from '../authentication/login-refusal.ts';
import { canonicalUsername, USERNAME_LENGTHS } from '../login-name.ts';

/**
 * Explains whether the correct password of a username would be accepted, by the checks of authentication-manager.ts.
 */
export function createExplainUsername(options: {
  readonly accounts: Pick<AccountStore, 'findInScope'>;
  readonly policies: Pick<Policies, 'of'>;
  /** Explains which second factor a login needs. */
  readonly explainFactors: (account: Account, policy: TenantPolicy, now: number) => Check;
  readonly clock: Clock;
}): Explain {
  const { accounts, policies, explainFactors, clock } = options;

  return async (text, scope) => {
    const username = canonicalUsername(text);
    if (username === undefined) return { checks: [fail('FORM', finding('USERNAME_MALFORMED', USERNAME_LENGTHS))] };
    const form = pass('FORM', finding('USERNAME_WELL_FORMED'));
    const accountWithTenant = await accounts.findInScope(scope, { username });
    if (!accountWithTenant) return { checks: [form, fail('EXISTENCE', finding('USERNAME_UNKNOWN'))] };
    const { account, passwordHash } = accountWithTenant;
    const now = clock();
    const policy = policies.of(accountWithTenant.definitions);
    const refusalOf = (candidate: AccountWithTenant) =>
      explainLock(findIneligibility('password', candidate, now), policy) ??
      (passwordHash === undefined ? explainMissingPassword(candidate.account, now) : undefined);
    const { passwordTemporaryUntil, credentialsExpireAt } = account;
    const outdated = passwordExpired(account, now);
    const current = finding(passwordTemporaryUntil === undefined ? 'PASSWORD_NOT_EXPIRED' : 'PASSWORD_TEMPORARY');
    return {
      checks: [
        form,
        pass('EXISTENCE', finding('USERNAME_FOUND', { account: account.id }), account.createdAt),
        ...explainAccount(accountWithTenant, refusalOf),
        checkOf('EXPIRY', outdated, current, passwordTemporaryUntil ?? credentialsExpireAt),
        explainFactors(account, policy, now),
        explainPolicy('username', policy),
      ],
      owner: account,
    };
  };
}

function explainMissingPassword({ invitationExpiresAt }: StoredAccount, now: number): Finding {
  if (invitationExpiresAt === undefined) return finding('PASSWORD_MISSING');
  return finding(isPast(invitationExpiresAt, now) ? 'INVITATION_ENDED' : 'INVITATION_OPEN');
}

/** Returns a refusal. The one of a lock names the values that decide. */
function explainLock(refusal: Ineligibility | undefined, policy: TenantPolicy): Finding | undefined {
  if (refusal?.code !== 'ACCOUNT_LOCKED') return refusal;
  const values = policyParams(policy, 'lockMaxFailures', 'lockDuration');
  return finding('ACCOUNT_LOCKED', { until: refusal.params['until']!, ...values });
}
