// The rate limits and the audit records of clients that authenticate.
import type { Clock } from '../../../platform/clock.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import type { Call } from '../../access/principal.ts';
import type { ClientRateLimit } from '../../client-credentials/client-rate-limit.ts';
import type { ClientAdmission } from '../../identity/authentication/settle-client.ts';

const RECORD_INTERVAL_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** How the successes of a client count. Refusals always count. */
export type SuccessLimit =
  /** A token of a service account: limited, and always recorded. */
  | 'grant'
  /** A resource server may send a request with each of its own calls: a limit of its own. */
  | 'introspection'
  /** Codes and refresh tokens, which are limited elsewhere, or by their number. */
  | 'none';

export type AdmitClient = (clientId: string, call: Call, limit?: SuccessLimit) => ClientAdmission;

/** Creates a function that returns the admission of a client. But for grants, one record per minute covers all successes. */
export function createAdmitClient(options: {
  readonly rateLimit: ClientRateLimit;
  readonly clock: Clock;
}): AdmitClient {
  const { rateLimit, clock } = options;
  const recordedAt = new Map<string, number>();

  return (clientId, { clientAddress }, limit = 'none') => ({
    async admit(outcome) {
      if (outcome === 'refusal') return rateLimit('refusal', clientId, clientAddress);
      return limit === 'none' ? () => {} : rateLimit(limit, clientId, clientAddress);
    },
    async recordGrant(credentialId, record) {
      if (limit === 'grant') return record();
      const key = `${credentialId} ${networkOf(clientAddress)}`;
      const now = clock();
      if (now - (recordedAt.get(key) ?? -Infinity) < RECORD_INTERVAL_MS) return;
      await record();
      recordedAt.delete(key);
      if (recordedAt.size >= MAX_REMEMBERED) recordedAt.delete(recordedAt.keys().next().value!);
      recordedAt.set(key, now);
    },
  });
}
