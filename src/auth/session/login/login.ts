import type { LoginRequest, LoginResponse } from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import { ServiceError, type Violation } from '../../../platform/errors.ts';
import { MISSING_LOGIN_CREDENTIALS } from '../../../platform/problem/catalogue.ts';
import type { AuthenticationManager } from '../../identity/authentication/authentication-manager.ts';
import { canonicalUsername, isPossiblePassword, PASSWORD_LENGTH, USERNAME_LENGTH } from '../../identity/login-name.ts';
import type { TenantPolicy } from '../../access/policy/effective-policy.ts';
import { BY_PASSWORD } from '../../access/authentication.ts';
import type { Call } from '../../access/principal.ts';
import { createLimitFailures, type LoginFailureDependencies } from './failure-limit.ts';
import { createFindNextStep, stepRequired, type NextStep, type NextStepDependencies } from './next-step.ts';
import { createRunLogin, type OpenSessionDependencies } from './open-session.ts';
import { allowsOrigin, ORIGIN_NOT_ALLOWED } from '../session-limits.ts';
import { browserOriginOf } from '../transport/browser-origin.ts';
import { policyOf, type TransportPolicies } from '../transport/transport-policy.ts';

export interface LoginDependencies extends OpenSessionDependencies, LoginFailureDependencies, NextStepDependencies {
  readonly manager: AuthenticationManager;
  readonly transports: TransportPolicies;
}

/** The result of a right password. */
type Outcome = { readonly response: LoginResponse } | { readonly step: NextStep };

/**
 * SessionService.Login: creates a session from a username and a password. If the account needs a second factor or another password, it
 * creates a challenge instead: no session exists before all factors are proven.
 */
export function createLogin(options: LoginDependencies) {
  const { manager, transports } = options;
  const findNextStep = createFindNextStep(options);
  const runLogin = createRunLogin(options);
  const limitFailures = createLimitFailures(options);

  return async (request: LoginRequest, call: Call): Promise<LoginResponse> => {
    const transport = policyOf(transports, request.refreshTokenTransport);
    const origin = browserOriginOf(request);
    const attempt = {
      ...presentedCredentials(request),
      // Profile B keeps its 423, because there every username locks in the same way.
      namesLock: transport.stored === 'BODY',
      findPolicyRefusal: (policy: TenantPolicy) => (allowsOrigin(policy, origin) ? undefined : ORIGIN_NOT_ALLOWED),
    };
    const asked = {
      transport,
      origin,
      rememberMe: request.rememberMe,
      methods: BY_PASSWORD,
      proofs: ['password'] as const,
      userAgent: request.userAgent,
      refreshTokens: request.refreshTokens,
    };
    return limitFailures(call, async () => {
      const outcome = await runLogin(call, (prepare) =>
        manager.authenticate<Outcome>(attempt, call, async (account, policy) => {
          const terms = { transport: transport.stored, origin: origin.text, rememberMe: request.rememberMe };
          const step = findNextStep(account, policy, terms);
          if (step) {
            return async (tx) => {
              await step.insert(tx, call.deadline);
              return { step };
            };
          }
          const open = await prepare(asked, account, policy);
          return async (tx, record) => ({ response: await open(tx, record, account) });
        }),
      );
      if ('response' in outcome) return outcome.response;
      throw stepRequired(outcome.step);
    });
  };
}

function presentedCredentials(request: LoginRequest): { username: string; password: string } {
  const username = canonicalUsername(request.username);
  const violations: Violation[] = [];
  if (username === undefined)
    violations.push({ message: `must have ${USERNAME_LENGTH}`, format: 'length', props: ['username'] });
  if (!isPossiblePassword(request.password)) {
    violations.push({ message: `must have ${PASSWORD_LENGTH}`, format: 'length', props: ['password'] });
  }
  if (username === undefined || violations.length > 0) {
    throw new ServiceError('VALIDATION_ERROR', { publicMessage: MISSING_LOGIN_CREDENTIALS, violations });
  }
  return { username, password: request.password };
}
