// Refused logins: which ones count against a network, and how minimal disclosure shows them.
import { ServiceError, type ReasonName } from '../../../platform/errors.ts';
import type { StoredTransport } from '../session.ts';
import type { Call } from '../../principal/principal.ts';
import type { FailureLimits } from './failure-limit.ts';

type Disclosure = 'maximal' | 'minimal';

export interface LoginFailureDependencies {
  readonly failureLimits: FailureLimits;
  readonly disclosure: Disclosure;
}

const UNIFORM: readonly ReasonName[] = [
  'ACCOUNT_NOT_FOUND',
  'LOGIN_POLICY_REJECTED',
  'ACCOUNT_DISABLED',
  'ACCOUNT_EXPIRED',
  'CREDENTIALS_EXPIRED',
  'CHALLENGE_INVALID',
  'SECOND_FACTOR_INVALID',
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

const REFUSALS: ReadonlySet<ReasonName> = new Set([...UNIFORM, 'ACCOUNT_LOCKED', 'SECOND_FACTOR_LOCKED']);

/** Creates a function that runs a part of a login: its failures count against the network, and minimal disclosure hides their reasons. */
export function createLimitFailures({ failureLimits, disclosure }: LoginFailureDependencies) {
  return async <T>(call: Call, transport: StoredTransport, part: () => Promise<T>): Promise<T> => {
    await failureLimits.login.assertBelow(call);
    try {
      return await part();
    } catch (error) {
      if (isRefusedLogin(error)) await failureLimits.login.countFailure(call);
      throw discloseLoginFailure(error, disclosure, transport);
    }
  };
}

/** Whether the credentials or the account were refused. An outage is not a refused login. */
function isRefusedLogin(error: unknown): boolean {
  return error instanceof ServiceError && REFUSALS.has(error.reason);
}

/** Replaces refusal reasons with the same bad-credentials error under minimal disclosure. */
export function discloseLoginFailure(error: unknown, disclosure: Disclosure, transport: StoredTransport): unknown {
  const isReplaced =
    disclosure === 'minimal' && error instanceof ServiceError && REPLACED[transport].includes(error.reason);
  return isReplaced ? new ServiceError('BAD_CREDENTIALS', { cause: error }) : error;
}
