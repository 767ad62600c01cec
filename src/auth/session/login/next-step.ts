// What a login asks for after the right password, before it opens a session.
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError, type LoginChallenge } from '../../../platform/errors.ts';
import type { ChallengeKind, Challenges, ChallengeTerms } from '../../factors/challenges.ts';
import { decideFactors, type FactorOptions } from '../../factors/decide-factors.ts';
import type { TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Account } from '../../access/account.ts';

export interface NextStepDependencies {
  readonly loginChallenges: Pick<Challenges, 'create'>;
  readonly factorOptions: FactorOptions;
  readonly clock: Clock;
}

/** A challenge, which no session precedes. */
export interface NextStep {
  readonly kind: ChallengeKind;
  readonly challenge: LoginChallenge;
  /** Stores the challenge in the transaction of the right password. */
  insert(tx: Statements, deadline: Deadline): Promise<void>;
}

/**
 * Creates a function that returns the next step of a login, undefined if it can open its session. It throws LOGIN_POLICY_REJECTED if the
 * account has factors of which none can be used.
 */
export function createFindNextStep({ loginChallenges, factorOptions, clock }: NextStepDependencies) {
  return (account: Account, policy: TenantPolicy, terms: Omit<ChallengeTerms, 'kind'>): NextStep | undefined => {
    const create = (kind: ChallengeKind, methods: LoginChallenge['methods']) => ({
      kind,
      ...loginChallenges.create(account, methods, { ...terms, kind }),
    });
    if (account.passwordTemporaryUntil !== undefined) return create('password-change', []);
    const decision = decideFactors(account, policy.effective, factorOptions, clock());
    if (decision.kind === 'unusable') throw new ServiceError('LOGIN_POLICY_REJECTED', { detail: UNUSABLE });
    return decision.kind === 'none' ? undefined : create(decision.kind, decision.methods);
  };
}

const UNUSABLE = 'the account has passkeys only, and app.security.passkeys.enabled is false';

const REASONS = {
  factor: 'SECOND_FACTOR_REQUIRED',
  enrolment: 'SECOND_FACTOR_ENROLMENT_REQUIRED',
  'password-change': 'PASSWORD_CHANGE_REQUIRED',
} as const;

/** Returns the error that hands the challenge of a step to the client. */
export function stepRequired({ kind, challenge }: NextStep): ServiceError {
  return new ServiceError(REASONS[kind], { challenge });
}
