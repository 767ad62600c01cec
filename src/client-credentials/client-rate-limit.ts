// Limits the requests of machine clients per client id and network: grants, introspections and refusals each have a budget, so
// that wrong secrets never use up what the right one may have, nor introspections the grants.
import { createHash } from 'node:crypto';
import { UNLIMITED } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { canonicalUsername } from '../identity/login-name.ts';
import { networkOf } from '../formats/network.ts';
import type { RateLimit } from '../rate-limit/rate-limit.ts';

/** Counts an outcome of a client id from an address. Rejects with TOO_MANY_REQUESTS if its budget is used up. */
export type ClientRateLimit = (
  outcome: 'grant' | 'introspection' | 'refusal',
  clientId: string,
  clientAddress: string,
) => Promise<void>;

export function createClientRateLimit(limits: {
  /** Of grants, and of refusals beside them. */
  readonly grants: RateLimit | undefined;
  readonly introspections: RateLimit | undefined;
}): ClientRateLimit {
  return async (outcome, clientId, clientAddress) => {
    const limit = outcome === 'introspection' ? limits.introspections : limits.grants;
    // It counts although its caller may be gone.
    const retryAfterMs = await limit?.consume(`${outcome}:${keyOf(clientId, networkOf(clientAddress))}`, UNLIMITED);
    if (retryAfterMs === undefined) return;
    const detail = `too many requests of this client id from this address (${outcome}s)`;
    throw new ServiceError('TOO_MANY_REQUESTS', { detail, retryAfterMs });
  };
}

// All spellings of a client id are one client. It is as long as a request may be; no address contains a line break.
function keyOf(clientId: string, network: string): string {
  const client = canonicalUsername(clientId) ?? clientId;
  return createHash('sha256').update(`${network}\n${client}`).digest('base64url');
}
