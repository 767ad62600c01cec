import type { Clock } from '../../../platform/clock.ts';
import { describePolicyValue, type TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Account, StoredAccount } from '../../access/account.ts';
import type { AccountStore } from '../account-store.ts';
import { fail, checkOf, pass, explainAccount, type Check, type Explain } from './credential-check.ts';
import { explainPolicy } from './explain-policy.ts';
import {
  findIneligibility,
  isPast,
  type AccountWithTenant,
  type IneligibilityCause,
  type Refusal,
} from '../authentication/eligibility.ts';
import { passwordExpired } from '../authentication/login-refusal.ts';
import { canonicalUsername, USERNAME_LENGTH } from '../login-name.ts';

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
    if (username === undefined) return { checks: [fail('FORM', `a username has ${USERNAME_LENGTH}`)] };
    const form = pass('FORM', 'the username is well-formed');
    const accountWithTenant = await accounts.findInScope(scope, { username });
    if (!accountWithTenant) return { checks: [form, fail('EXISTENCE', 'no account has this username')] };
    const { account, passwordHash } = accountWithTenant;
    const now = clock();
    const policy = policies.of(accountWithTenant.definitions);
    const refusalOf = (candidate: AccountWithTenant) =>
      explainLock(findIneligibility('password', candidate, now), policy) ??
      (passwordHash === undefined ? explainMissingPassword(candidate.account, now) : undefined);
    const { passwordTemporaryUntil, credentialsExpireAt } = account;
    const outdated = passwordExpired(account, now)?.detail;
    const current =
      passwordTemporaryUntil === undefined
        ? 'the password has not expired'
        : 'the password is temporary, and the login replaces it';
    return {
      checks: [
        form,
        pass('EXISTENCE', `it is the username of account ${account.id}`, account.createdAt),
        ...explainAccount(accountWithTenant, refusalOf),
        checkOf('EXPIRY', outdated, current, passwordTemporaryUntil ?? credentialsExpireAt),
        explainFactors(account, policy, now),
        explainPolicy('username', policy),
      ],
      owner: account,
    };
  };
}

function explainMissingPassword({ invitationExpiresAt }: StoredAccount, now: number): string {
  if (invitationExpiresAt === undefined) return 'the account has no password';
  return isPast(invitationExpiresAt, now)
    ? 'the invitation has ended, and no password was chosen'
    : 'the user was invited and has not chosen a password';
}

/** Returns the detail of a refusal. The one of a lock names the values that decide. */
function explainLock(refusal: Refusal<IneligibilityCause> | undefined, policy: TenantPolicy): string | undefined {
  if (refusal?.reason !== 'locked') return refusal?.detail;
  const values = (['lockMaxFailures', 'lockDuration'] as const).map((name) => describePolicyValue(policy, name));
  return `${refusal.detail} (${values.join('; ')})`;
}
