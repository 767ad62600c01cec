// Refused logins: which ones count against a network.
import { ServiceError } from '../../../platform/errors.ts';
import { refusesUser } from '../../../platform/problem/catalogue.ts';
import type { Call } from '../../access/principal.ts';
import type { FailureLimits } from './failure-limit.ts';

export interface LoginFailureDependencies {
  readonly failureLimits: FailureLimits;
}

/**
 * Creates a function that runs a part of a login: its failures count against the network. Its `isCounted` returns whether an error
 * counts.
 */
export function createLimitFailures({ failureLimits }: LoginFailureDependencies) {
  return async <T>(
    call: Call,
    part: () => Promise<T>,
    isCounted: (error: unknown) => boolean = isRefusedLogin,
  ): Promise<T> => {
    await failureLimits.login.assertBelow(call);
    try {
      return await part();
    } catch (error) {
      if (isCounted(error)) await failureLimits.login.countFailure(call);
      throw error;
    }
  };
}

/** Whether the credentials or the account were refused. An outage is not a refused login. */
function isRefusedLogin(error: unknown): boolean {
  return error instanceof ServiceError && (refusesUser(error.reason) || error.reason === 'SECOND_FACTOR_LOCKED');
}
