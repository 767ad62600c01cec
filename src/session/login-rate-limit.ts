import type { Deadline } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { networkOf } from '../rate-limit/network.ts';
import type { RateLimit } from '../rate-limit/rate-limit.ts';

/** Counts a login of a client address. Rejects with TOO_MANY_REQUESTS over the limit. */
export type LoginRateLimit = (clientAddress: string, deadline: Deadline) => Promise<void>;

export function createLoginRateLimit(limit: RateLimit | undefined): LoginRateLimit {
  return async (clientAddress, deadline) => {
    const retryAfterMs = await limit?.consume(networkOf(clientAddress), deadline);
    if (retryAfterMs === undefined) return;
    throw new ServiceError('TOO_MANY_REQUESTS', { detail: 'too many logins from this address', retryAfterMs });
  };
}
