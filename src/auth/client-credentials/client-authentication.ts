// Checks client secrets. Secrets are random, so one SHA-256 suffices instead of a slow password hash.
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { AuditContext } from '../audit/trail/audit-log.ts';
import type { ClientCredentials } from './client-credentials.ts';
import type { SecretOwner } from './secrets.ts';
import {
  clientSecretHash,
  type ClientSecretAddress,
  type ClientSecretStanding,
  type ClientSecretStore,
} from './client-secret-store.ts';
import type { AuthenticateClient, SecretOutcome } from '../identity/authentication/authenticate-client.ts';
import type { ClientAdmission } from '../identity/authentication/settle-client.ts';
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

// An owner without secrets. It is queried if the owner does not exist, so that the check takes as long.
const UNKNOWN_OWNER = { tenantId: undefined, id: '00000000-0000-0000-0000-000000000000' };

/** Called for every successful use of a secret, by its id. */
export type UseSecret = (id: string, secret: ClientSecretAddress) => void;

/** Compares a presented secret with those of its owner, which is undefined if it does not exist. */
export type CheckSecret = (owner: SecretOwner | undefined, secret: string) => Promise<SecretOutcome>;

export function createCheckSecret(options: {
  readonly secrets: Pick<ClientSecretStore, 'findByOwner'>;
  readonly clock: Clock;
  /** Whether published secrets are refused. */
  readonly refuseSamples: boolean;
}): CheckSecret {
  const { secrets, clock, refuseSamples } = options;
  return async (owner, secret) => {
    const { tenantId, id: ownerId } = owner ?? UNKNOWN_OWNER;
    const now = clock();
    const outcome = secretOutcome(await secrets.findByOwner({ tenantId, ownerId }, now), clientSecretHash(secret), now);
    return refuseSamples && isSampleSecret(secret) ? { kind: 'sample' } : outcome;
  };
}

export function createClientAuthentication(options: {
  readonly authenticateClient: AuthenticateClient;
  readonly checkSecret: CheckSecret;
  readonly used: UseSecret;
}): ClientAuthentication {
  const { authenticateClient, checkSecret, used } = options;

  return async ({ clientId, clientSecret }, context, admission) => {
    const check = (account: Account | undefined) => checkSecret(account, clientSecret);
    const { account, secretId } = await authenticateClient(clientId, check, context, admission);
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
