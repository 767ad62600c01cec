import type { LoginRequest, LoginResponse } from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import { ServiceError, type ReasonName, type Violation } from '../../../platform/errors.ts';
import { MISSING_LOGIN_CREDENTIALS } from '../../../platform/problem/catalogue.ts';
import type { Call } from '../../principal/principal.ts';
import type { AuthenticationManager } from '../../identity/authentication/authentication-manager.ts';
import { canonicalUsername, isPossiblePassword, PASSWORD_LENGTH, USERNAME_LENGTH } from '../../identity/login-name.ts';
import type { TenantPolicy } from '../../policy/effective-policy.ts';
import { BY_PASSWORD } from '../../principal/authentication.ts';
import type { FailureLimits } from './failure-limit.ts';
import { createRunLogin, type OpenSessionDependencies } from './open-session.ts';
import type { StoredTransport } from '../session.ts';
import { allowsOrigin, ORIGIN_NOT_ALLOWED } from '../session-limits.ts';
import { browserOriginOf } from '../transport/browser-origin.ts';
import { policyOf, type TransportPolicies } from '../transport/transport-policy.ts';

export interface LoginDependencies extends OpenSessionDependencies {
  readonly manager: AuthenticationManager;
  readonly failureLimits: FailureLimits;
  readonly transports: TransportPolicies;
  readonly disclosure: Disclosure;
}

/** SessionService.Login: creates a session from a username and a password. */
export function createLogin(options: LoginDependencies) {
  const { manager, failureLimits, transports, disclosure } = options;
  const runLogin = createRunLogin(options);

  return async (request: LoginRequest, call: Call): Promise<LoginResponse> => {
    const presented = policyOf(transports, request.refreshTokenTransport);
    const origin = browserOriginOf(request);
    const attempt = {
      ...presentedCredentials(request),
      findPolicyRefusal: (policy: TenantPolicy) => (allowsOrigin(policy, origin) ? undefined : ORIGIN_NOT_ALLOWED),
    };
    await failureLimits.login.assertBelow(call);
    try {
      return await runLogin(call, (prepare) =>
        manager.authenticate(attempt, call, async (account, policy) => {
          const { rememberMe } = request;
          const asked = { transport: presented, origin, rememberMe, methods: BY_PASSWORD };
          const open = await prepare(asked, account, policy);
          return (tx, record) => open(tx, record, account);
        }),
      );
    } catch (error) {
      if (isRefusedLogin(error)) await failureLimits.login.countFailure(call);
      throw discloseLoginFailure(error, disclosure, presented.stored);
    }
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

type Disclosure = 'maximal' | 'minimal';

const UNIFORM: readonly ReasonName[] = [
  'ACCOUNT_NOT_FOUND',
  'LOGIN_POLICY_REJECTED',
  'ACCOUNT_DISABLED',
  'ACCOUNT_EXPIRED',
  'CREDENTIALS_EXPIRED',
  // Its text is the shown one. It is replaced like the others, so that all take the same time.
  'BAD_CREDENTIALS',
];

/**
 * The reasons that minimal disclosure replaces. Profile B keeps its 423, because there every username locks in the same
 * way.
 */
const REPLACED: Readonly<Record<StoredTransport, readonly ReasonName[]>> = {
  COOKIE: [...UNIFORM, 'ACCOUNT_LOCKED'],
  BODY: UNIFORM,
};

const REFUSALS: ReadonlySet<ReasonName> = new Set([...UNIFORM, 'ACCOUNT_LOCKED']);

/** Whether the credentials or the account were refused. An outage is not a refused login. */
function isRefusedLogin(error: unknown): boolean {
  return error instanceof ServiceError && REFUSALS.has(error.reason);
}

/** Replaces refusal reasons with the same bad-credentials error under minimal disclosure. */
function discloseLoginFailure(error: unknown, disclosure: Disclosure, transport: StoredTransport): unknown {
  const isReplaced =
    disclosure === 'minimal' && error instanceof ServiceError && REPLACED[transport].includes(error.reason);
  return isReplaced ? new ServiceError('BAD_CREDENTIALS', { cause: error }) : error;
}
