import type { Params } from '../../platform/template.ts';
import { fail, pass, type Check } from '../identity/explain/credential-check.ts';
import { finding } from '../access/findings.ts';
import { policyParams, type TenantPolicy } from '../access/policy/effective-policy.ts';
import type { Account } from '../access/account.ts';
import { decideFactors, type FactorDecision, type FactorOptions } from './decide-factors.ts';

type Of<Kind> = Extract<FactorDecision, { kind: Kind }>;

const EXPLANATIONS: { readonly [Kind in FactorDecision['kind']]: (decision: Of<Kind>, rule: Params) => Check } = {
  none: (_decision, rule) => pass('SECOND_FACTOR', finding('FACTOR_NOT_NEEDED', rule)),
  factor: ({ methods }) => pass('SECOND_FACTOR', finding('FACTOR_NEEDED', { methods: methods.join(' ') })),
  enrolment: ({ methods }, rule) =>
    pass('SECOND_FACTOR', finding('FACTOR_ENROLMENT', { methods: methods.join(' '), ...rule })),
  unusable: () => fail('SECOND_FACTOR', finding('PASSKEYS_OFF')),
};

/** Creates a function that explains which second factor the login of an account needs. */
export function createExplainFactors(options: FactorOptions) {
  return (account: Account, policy: TenantPolicy, now: number): Check => {
    const decision = decideFactors(account, policy.effective, options, now);
    const explain = EXPLANATIONS[decision.kind] as (decision: FactorDecision, rule: Params) => Check;
    return explain(decision, policyParams(policy, 'secondFactor'));
  };
}
