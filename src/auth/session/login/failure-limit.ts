// Limits failures per network: which refused logins count, and how many. Successes are not counted.
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../../../platform/clock.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import type { RateLimit } from '../../../platform/limits/rate-limit.ts';
import { refusesUser } from '../../../platform/problem/catalogue.ts';
import type { Call } from '../../access/principal.ts';

type LimitedCall = Pick<Call, 'clientAddress' | 'sharedAddress'>;

/** One limit for each kind of failure. */
export type FailureLimits = ReturnType<typeof createFailureLimits>;
export type FailureLimit = FailureLimits['login'];

const WARNING_INTERVAL_MS = 60_000;

export function createFailureLimits(options: {
  readonly limit: RateLimit | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}) {
  const { limit, clock, log } = options;
  let warnedAt = -Infinity;

  return {
    login: createFailureLimit('login', 'too many failed logins from this network'),
    refresh: createFailureLimit('refresh', 'too many malformed refresh tokens from this network'),
  };

  function createFailureLimit(kind: string, detail: string) {
    const keyOf = (call: LimitedCall) => `${kind}:${networkOf(call.clientAddress)}`;
    const refuse = (retryAfterMs: number | undefined) => {
      if (retryAfterMs !== undefined) throw new ServiceError('TOO_MANY_REQUESTS', { detail, retryAfterMs });
    };
    return {
      /** Rejects with TOO_MANY_REQUESTS if the call's network has reached the limit. */
      async assertBelow(call: LimitedCall): Promise<void> {
        if (limit && hasOwnAddress(call)) refuse(await limit.check(keyOf(call)));
      },
      /** Counts a failure. Rejects with TOO_MANY_REQUESTS if it exceeds the limit. */
      async countFailure(call: LimitedCall): Promise<void> {
        // The failure counts even if the caller has disconnected.
        if (limit && hasOwnAddress(call)) refuse(await limit.consume(keyOf(call), UNLIMITED));
      },
    };
  }

  /** Clients behind the same proxy or gateway share an address. Limiting it would let one client block the others. */
  function hasOwnAddress({ sharedAddress, clientAddress }: LimitedCall): boolean {
    if (sharedAddress && clock() - warnedAt >= WARNING_INTERVAL_MS) {
      warnedAt = clock();
      log.warn(
        { peer: clientAddress },
        'failed logins and refreshes from this peer are not limited: the addresses of its clients are unknown. If it sends ' +
          'X-Forwarded-For, it must be listed in app.http.trusted-proxies and send IP addresses. If it is a gateway, it ' +
          'must be listed in app.rpc.trusted-gateways or use a Unix socket',
      );
    }
    return !sharedAddress;
  }
}

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
