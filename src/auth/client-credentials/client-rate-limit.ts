// Limits the requests of machine clients per client id and network. Grants, introspections and refusals have separate
// limits. So wrong secrets do not use up the limit of the right one, nor introspections the limit of grants.
import { createHash } from 'node:crypto';
import { UNLIMITED } from '../../platform/clock.ts';
import { ServiceError } from '../../platform/errors.ts';
import { canonicalUsername } from '../identity/login-name.ts';
import { networkOf } from '../../platform/formats/network.ts';
import type { BackgroundRetries } from '../../platform/concurrency/background-retries.ts';
import type { RateLimit } from '../../platform/limits/rate-limit.ts';

/**
 * Counts an outcome of a client id from an address. Rejects with TOO_MANY_REQUESTS if its limit is exceeded. Returns a
 * function that takes the event back in the background.
 */
export type ClientRateLimit = (
  outcome: 'grant' | 'introspection' | 'refusal',
  clientId: string,
  clientAddress: string,
) => Promise<() => void>;

export function createClientRateLimit(limits: {
  /** The limit of grants. Refusals have their own count under the same limit. */
  readonly grants: RateLimit | undefined;
  readonly introspections: RateLimit | undefined;
  /** Takes events back. Must not repeat a write that may have been committed. */
  readonly retries: Pick<BackgroundRetries, 'run'>;
}): ClientRateLimit {
  return async (outcome, clientId, clientAddress) => {
    const limit = outcome === 'introspection' ? limits.introspections : limits.grants;
    // The event counts even if the caller has disconnected.
    const event = await limit?.consumeForNow(`${outcome}:${keyOf(clientId, networkOf(clientAddress))}`, UNLIMITED);
    if (event === undefined) return () => {};
    const { waitMs: retryAfterMs, giveBack } = event;
    if (retryAfterMs === undefined) return () => void limits.retries.run(giveBack, 0);
    const detail = `too many requests of this client id from this address (${outcome}s)`;
    throw new ServiceError('TOO_MANY_REQUESTS', { detail, retryAfterMs });
  };
}

// All spellings of a client id count as one client. A client id may be as long as a request. The separator is safe,
// because no address contains a line break.
function keyOf(clientId: string, network: string): string {
  const client = canonicalUsername(clientId) ?? clientId;
  return createHash('sha256').update(`${network}\n${client}`).digest('base64url');
}
