// Whether the policies, passwords and secrets of a plan may be used. It writes nothing.
import { isSampleSecret } from '../../auth/identity/sample-credentials.ts';
import type { CheckPassword } from '../../auth/identity/users/password-policy.ts';
import { policyFaults, readOwnPolicy } from '../../auth/access/policy/effective-policy.ts';
import type { Policies } from '../../auth/access/policy/policies.ts';
import type { ApplicationRules } from '../../auth/oauth/applications/check-application.ts';
import { toOpaqueString } from '../../platform/formats/characters.ts';
import { SettingError } from '../../platform/setting-error.ts';
import type { BootstrapPlan } from './plan.ts';
import { inGroups } from './in-groups.ts';
import { plannedAccounts } from './planned-accounts.ts';
import { assertApplications, plannedApplications } from './planned-applications.ts';

interface PlanChecks {
  readonly hasAccount: (username: string) => Promise<boolean>;
  readonly checkPassword: CheckPassword;
  /** Whether published passwords and client secrets are refused. */
  readonly refuseSamples: boolean;
  readonly policies: Pick<Policies, 'service'>;
  /** Whether mail is on. */
  readonly canInvite: boolean;
  readonly rules: () => ApplicationRules;
}

/** Rejects with SettingError if a policy or an application may not be used, or a password or secret of an account that does not exist yet. */
export async function assertPlan(plan: BootstrapPlan, checks: PlanChecks): Promise<void> {
  const { hasAccount, checkPassword, refuseSamples, policies, canInvite } = checks;
  const tenants = (plan.tenants ?? []).map(({ id, policy }) => ({ id, policy: readOwnPolicy(policy) }));
  const ofPolicies = tenants.flatMap(({ policy }, index) =>
    policyFaults(policies.service, policy).map(
      ({ field, message }) => `  - /tenants/${index}/policy/${field}: ${message}`,
    ),
  );
  if (ofPolicies.length > 0)
    throw new SettingError(`The bootstrap file has policies that cannot be used:\n${ofPolicies.join('\n')}`);

  if (plannedApplications(plan).length > 0) assertApplications(plan, { rules: checks.rules(), refuseSamples });

  const own = new Map(tenants.map(({ id, policy }) => [id, policy]));
  const problems = await inGroups(
    plannedAccounts(plan),
    async ({ place, account, password, secret, isInvited }): Promise<string | undefined> => {
      if (!isInvited && (password ?? secret) === undefined) return undefined;
      if (await hasAccount(account.username)) return undefined;
      if (isInvited && !canInvite) return `  - ${place}/invite: needs mail: set app.mail.url`;
      if (refuseSamples && secret !== undefined && isSampleSecret(secret))
        return `  - ${place}/clientSecret: must not be a sample of the documentation`;
      const minLength = own.get(account.tenantId ?? '')?.passwordMinLength ?? 0;
      if (password !== undefined && [...toOpaqueString(password)].length < minLength)
        return `  - ${place}/password: must have at least ${minLength} characters`;
      const violation = password === undefined ? undefined : await checkPassword('password', password, account);
      return violation && `  - ${place}/password: ${violation.message}`;
    },
  );
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0)
    throw new SettingError(
      `The bootstrap file has passwords, secrets or invitations that cannot be used:\n${found.join('\n')}`,
    );
}
