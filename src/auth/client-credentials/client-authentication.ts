// Checks client secrets. Secrets are random, so one SHA-256 suffices instead of a slow password hash.
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { networkOf } from '../../platform/formats/network.ts';
import type { Call } from '../access/principal.ts';
import type { AuditContext } from '../audit/trail/audit-log.ts';
import type { ClientCredentials } from './client-credentials.ts';
import type { ClientRateLimit } from './client-rate-limit.ts';
import {
  clientSecretHash,
  type ClientSecretAddress,
  type ClientSecretStanding,
  type ClientSecretStore,
} from './client-secret-store.ts';
import type {
  AuthenticateClient,
  ClientAdmission,
  SecretOutcome,
} from '../identity/authentication/authenticate-client.ts';
import { isPast } from '../identity/authentication/eligibility.ts';
import { isSampleSecret } from '../identity/sample-credentials.ts';
import type { Account } from '../access/account.ts';

/**
 * Returns the service account with these credentials. Rejects with INVALID_CLIENT. See AuthenticateClient for
 * `admission`.
 */
export type ClientAuthentication = (
  credentials: ClientCredentials,
  context: AuditContext,
  admission: ClientAdmission,
) => Promise<Account>;

// An account id without secrets. It is queried if the account does not exist, so that the check takes as long.
const UNKNOWN_ACCOUNT = { tenantId: undefined, ownerId: '00000000-0000-0000-0000-000000000000' };

export function createClientAuthentication(options: {
  readonly authenticateClient: AuthenticateClient;
  readonly secrets: Pick<ClientSecretStore, 'findByOwner'>;
  readonly clock: Clock;
  /** Whether published secrets are refused. */
  readonly refuseSamples: boolean;
  /** Called for every successful use of a secret. */
  readonly used: (id: string, secret: ClientSecretAddress) => void;
}): ClientAuthentication {
  const { authenticateClient, secrets, clock, refuseSamples, used } = options;

  return async ({ clientId, clientSecret }, context, admission) => {
    const presented = clientSecretHash(clientSecret);
    const isRefused = refuseSamples && isSampleSecret(clientSecret);
    const checkSecret = async (account: Account | undefined): Promise<SecretOutcome> => {
      const address = account ? { tenantId: account.tenantId, ownerId: account.id } : UNKNOWN_ACCOUNT;
      const now = clock();
      const outcome = secretOutcome(await secrets.findByOwner(address, now), presented, now);
      return isRefused ? { kind: 'sample' } : outcome;
    };
    const { account, secretId } = await authenticateClient(clientId, checkSecret, context, admission);
    used(secretId, { tenantId: account.tenantId, ownerId: account.id, id: secretId });
    return account;
  };
}

/** Compares the presented hash with all secrets of the account, each in constant time. */
function secretOutcome(secrets: readonly ClientSecretStanding[], presented: Uint8Array, now: number): SecretOutcome {
  const matching = secrets.filter(({ hash }) => timingSafeEqual(hash, presented));
  const live = matching.find(({ expiresAt }) => !isPast(expiresAt, now));
  if (live) return { kind: 'right', secretId: live.id };
  return { kind: matching.length > 0 ? 'expired' : 'wrong' };
}

// Client authentication for introspection and revocation, as for a token request. A resource server may send such a
// request with each of its own calls. So successes have a separate limit, and one audit record per minute covers all of
// them.

/** Returns the service account with these credentials. Rejects with INVALID_CLIENT or TOO_MANY_REQUESTS. */
export type AuthenticateCaller = (credentials: ClientCredentials, call: Call) => Promise<Account>;

const RECORD_INTERVAL_MS = 60_000;
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
