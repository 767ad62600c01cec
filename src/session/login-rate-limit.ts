import { isIPv6 } from 'node:net';
import type { Deadline } from '../clock.ts';
import { ServiceError } from '../errors.ts';
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

/** What is limited together: an IPv4 address, or the /64 network that an IPv6 client owns as a whole. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('%')[0]!.split('::');
  const before = head.split(':').filter(Boolean);
  const after = tail.split(':').filter(Boolean);
  const missing = address.includes('::') ? 8 - before.length - after.length - (address.includes('.') ? 1 : 0) : 0;
  const groups = [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
