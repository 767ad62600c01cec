// Checks client secrets. Secrets are random, so one SHA-256 suffices instead of a slow password hash.
import { timingSafeEqual } from 'node:crypto';
import type { AuditContext } from '../audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Account } from '../principal/account.ts';
import type {
  AuthenticateClient,
  ClientAdmission,
  SecretOutcome,
} from '../identity/authentication/authenticate-client.ts';
import { isPast } from '../identity/authentication/eligibility.ts';
import { isSampleSecret } from '../identity/sample-credentials.ts';
import {
  clientSecretHash,
  type ClientSecretAddress,
  type ClientSecretStanding,
  type ClientSecretStore,
} from './client-secret-store.ts';
import type { ClientCredentials } from './client-credentials.ts';

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
const UNKNOWN_ACCOUNT = { tenantId: undefined, accountId: '00000000-0000-0000-0000-000000000000' };

export function createClientAuthentication(options: {
  readonly authenticateClient: AuthenticateClient;
  readonly secrets: Pick<ClientSecretStore, 'findByAccount'>;
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
      const address = account ? { tenantId: account.tenantId, accountId: account.id } : UNKNOWN_ACCOUNT;
      const now = clock();
      const outcome = secretOutcome(await secrets.findByAccount(address, now), presented, now);
      return isRefused ? { kind: 'sample' } : outcome;
    };
    const { account, secretId } = await authenticateClient(clientId, checkSecret, context, admission);
    used(secretId, { tenantId: account.tenantId, accountId: account.id, id: secretId });
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
