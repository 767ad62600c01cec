import { createHash } from 'node:crypto';
import type { Deadline } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { canonicalUsername } from '../identity/username.ts';
import { networkOf } from '../rate-limit/network.ts';
import type { RateLimit } from '../rate-limit/rate-limit.ts';

/** Counts a token request of a client id from an address. Rejects with TOO_MANY_REQUESTS over the limit. */
export type ClientRateLimit = (clientId: string, clientAddress: string, deadline: Deadline) => Promise<void>;

export function createClientRateLimit(limit: RateLimit | undefined): ClientRateLimit {
  return async (clientId, clientAddress, deadline) => {
    const retryAfterMs = await limit?.consume(keyOf(clientId, networkOf(clientAddress)), deadline);
    if (retryAfterMs === undefined) return;
    throw new ServiceError('TOO_MANY_REQUESTS', {
      detail: 'too many token requests of this client id from this address',
      retryAfterMs,
    });
  };
}

// All spellings of a client id are one client. It is as long as a request may be; no address contains a line break.
function keyOf(clientId: string, network: string): string {
  const client = canonicalUsername(clientId) ?? clientId;
  return createHash('sha256').update(`${network}\n${client}`).digest('base64url');
}
