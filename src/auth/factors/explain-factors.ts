import { fail, pass, type Check } from '../identity/explain/credential-check.ts';
import { describePolicyValue, type TenantPolicy } from '../access/policy/effective-policy.ts';
import type { Account } from '../access/account.ts';
import { decideFactors, type FactorDecision, type FactorOptions } from './decide-factors.ts';

type Of<Kind> = Extract<FactorDecision, { kind: Kind }>;

const EXPLANATIONS: { readonly [Kind in FactorDecision['kind']]: (decision: Of<Kind>, rule: string) => Check } = {
  none: (_decision, rule) => pass('SECOND_FACTOR', `the login needs no second factor (${rule})`),
  factor: ({ methods }) =>
    pass('SECOND_FACTOR', `the login needs a second factor of the account: ${methods.join(', ')}`),
  enrolment: ({ methods }, rule) =>
    pass(
      'SECOND_FACTOR',
      `the tenant requires a second factor (${rule}), and the account has none: the login creates one of ${methods.join(', ')}`,
    ),
  unusable: () => fail('SECOND_FACTOR', 'the account has passkeys only, and app.security.passkeys.enabled is false'),
};

/** Creates a function that explains which second factor the login of an account needs. */
export function createExplainFactors(options: FactorOptions) {
  return (account: Account, policy: TenantPolicy, now: number): Check => {
    const decision = decideFactors(account, policy.effective, options, now);
    const explain = EXPLANATIONS[decision.kind] as (decision: FactorDecision, rule: string) => Check;
    return explain(decision, describePolicyValue(policy, 'secondFactor'));
  };
}
