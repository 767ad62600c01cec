// Checks client secrets. They are random, so that one SHA-256 serves where a password needs a slow hash.
import { timingSafeEqual } from 'node:crypto';
import type { AuditContext } from '../audit/audit-log.ts';
import type { Clock } from '../clock.ts';
import type { Account } from '../principal/account.ts';
import type {
  AuthenticateClient,
  ClientAdmission,
  SecretOutcome,
} from '../identity/authentication/authenticate-client.ts';
import { isPast } from '../identity/authentication/eligibility.ts';
import {
  clientSecretHash,
  type ClientSecretAddress,
  type ClientSecretStanding,
  type ClientSecretStore,
} from './client-secret-store.ts';
import type { ClientCredentials } from './client-credentials.ts';

/** The service account that has these credentials. Rejects with INVALID_CLIENT. See AuthenticateClient for `admission`. */
export type ClientAuthentication = (
  credentials: ClientCredentials,
  context: AuditContext,
  admission: ClientAdmission,
) => Promise<Account>;

// Has no secret. Looked for where there is no account, which must take as long.
const NOBODY = { tenantId: undefined, accountId: '00000000-0000-0000-0000-000000000000' };

export function createClientAuthentication(options: {
  readonly authenticateClient: AuthenticateClient;
  readonly secrets: Pick<ClientSecretStore, 'findByAccount'>;
  readonly clock: Clock;
  /** Told of every use of a secret that was good. */
  readonly used: (id: string, secret: ClientSecretAddress) => void;
}): ClientAuthentication {
  const { authenticateClient, secrets, clock, used } = options;

  return async ({ clientId, clientSecret }, context, admission) => {
    const presented = clientSecretHash(clientSecret);
    const checkSecret = async (account: Account | undefined) => {
      const address = account ? { tenantId: account.tenantId, accountId: account.id } : NOBODY;
      const now = clock();
      return secretOutcome(await secrets.findByAccount(address, now), presented, now);
    };
    const { account, secretId } = await authenticateClient(clientId, checkSecret, context, admission);
    used(secretId, { tenantId: account.tenantId, accountId: account.id, id: secretId });
    return account;
  };
}

/** Compares the presented hash with all secrets of the account, in constant time each. */
export function secretOutcome(
  secrets: readonly ClientSecretStanding[],
  presented: Uint8Array,
  now: number,
): SecretOutcome {
  const right = secrets.filter(({ hash }) => timingSafeEqual(hash, presented));
  const live = right.find(({ expiresAt }) => !isPast(expiresAt, now));
  if (live) return { kind: 'right', secretId: live.id };
  return { kind: right.length > 0 ? 'expired' : 'wrong' };
}
