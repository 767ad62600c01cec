// Refused logins: which ones count against a network, and how minimal disclosure shows them.
import { ServiceError, type ReasonName } from '../../../platform/errors.ts';
import { discloseRefusal, refusesUser, type Disclosure } from '../../identity/authentication/disclose-refusal.ts';
import type { StoredTransport } from '../session.ts';
import type { Call } from '../../principal/principal.ts';
import type { FailureLimits } from './failure-limit.ts';

export interface LoginFailureDependencies {
  readonly failureLimits: FailureLimits;
  readonly disclosure: Disclosure;
}

/**
 * Creates a function that runs a part of a login: its failures count against the network, and minimal disclosure hides their reasons.
 * Its `isCounted` returns whether an error counts.
 */
export function createLimitFailures({ failureLimits, disclosure }: LoginFailureDependencies) {
  return async <T>(
    call: Call,
    transport: StoredTransport,
    part: () => Promise<T>,
    isCounted: (error: unknown) => boolean = isRefusedLogin,
  ): Promise<T> => {
    await failureLimits.login.assertBelow(call);
    try {
      return await part();
    } catch (error) {
      if (isCounted(error)) await failureLimits.login.countFailure(call);
      throw discloseRefusal(error, disclosure, NAMED[transport]);
    }
  };
}

/** Profile B keeps its 423, because there every username locks in the same way. */
const NAMED: Readonly<Record<StoredTransport, (reason: ReasonName) => boolean>> = {
  COOKIE: () => false,
  BODY: (reason) => reason === 'ACCOUNT_LOCKED',
};

/** Whether the credentials or the account were refused. An outage is not a refused login. */
function isRefusedLogin(error: unknown): boolean {
  return error instanceof ServiceError && (refusesUser(error.reason) || error.reason === 'SECOND_FACTOR_LOCKED');
}
