// Client authentication for introspection and revocation, as for a token request. A resource server may send such a
// request with each of its own calls. So successes have a separate limit, and one audit record per minute covers all of
// them.
import type { Clock } from '../../platform/clock.ts';
import type { Account } from '../principal/account.ts';
import { networkOf } from '../../platform/formats/network.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { ClientAuthentication } from './client-authentication.ts';
import type { ClientCredentials } from './client-credentials.ts';
import type { ClientRateLimit } from './client-rate-limit.ts';

/** Returns the service account with these credentials. Rejects with INVALID_CLIENT or TOO_MANY_REQUESTS. */
export type AuthenticateCaller = (credentials: ClientCredentials, call: Call) => Promise<Account>;

export const RECORD_INTERVAL_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export function createAuthenticateCaller(options: {
  readonly authentication: ClientAuthentication;
  readonly rateLimit: ClientRateLimit;
  readonly clock: Clock;
}): AuthenticateCaller {
  const { authentication, rateLimit, clock } = options;
  const recordedAt = new Map<string, number>();

  return (credentials, call) => {
    const { clientId } = credentials;
    return authentication(credentials, call, {
      admit: (outcome) => rateLimit(outcome === 'grant' ? 'introspection' : outcome, clientId, call.clientAddress),
      async recordGrant(secretId, record) {
        const key = `${secretId} ${networkOf(call.clientAddress)}`;
        const now = clock();
        if (now - (recordedAt.get(key) ?? -Infinity) < RECORD_INTERVAL_MS) return;
        await record();
        recordedAt.delete(key);
        if (recordedAt.size >= MAX_REMEMBERED) recordedAt.delete(recordedAt.keys().next().value!);
        recordedAt.set(key, now);
      },
    });
  };
}
