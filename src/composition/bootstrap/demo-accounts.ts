// Finds the accounts of the demo in a database, by their usernames and tenants, that still have a published credential.
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import { clientSecretHash, type ClientSecretStore } from '../../auth/client-credentials/client-secret-store.ts';
import type { AccountStore } from '../../auth/identity/account-store.ts';
import { isPast } from '../../auth/identity/authentication/eligibility.ts';
import type { PasswordHasher } from '../../auth/identity/authentication/password-hasher.ts';
import type { Account } from '../../auth/access/account.ts';
import { DEMO_PLAN } from './demo.ts';
import { plannedAccounts } from './planned-accounts.ts';

export interface DemoAccount {
  readonly account: Account;
  /** Ids of its live client secrets that are published. Empty for a user, whose password is published. */
  readonly secretIds: readonly string[];
  /** Whether it also has live client secrets that are not published, so that it is in use. */
  readonly hasOwnSecrets: boolean;
}

/** The requester of the verifications. */
const LOCAL = { clientAddress: 'demo', deadline: UNLIMITED };

/** Verifies at most one password for each account of the demo that exists. Equal hashes are verified once. */
export async function findDemoAccounts(options: {
  readonly accounts: Pick<AccountStore, 'findByUsername'>;
  readonly secrets: Pick<ClientSecretStore, 'findByOwner'>;
  readonly hasher: Pick<PasswordHasher, 'runLimited'>;
  readonly clock: Clock;
}): Promise<DemoAccount[]> {
  const { accounts, secrets, hasher, clock } = options;
  const verified = new Map<string, Promise<boolean>>();
  const isCorrect = (hash: string, password: string): Promise<boolean> => {
    const verifying = async () => (await hasher.runLimited(LOCAL, hash, (verify) => verify(hash, password))).isCorrect;
    const known = verified.get(hash) ?? verifying();
    verified.set(hash, known);
    return known;
  };

  const found = await Promise.all(
    plannedAccounts(DEMO_PLAN).map(async ({ account: planned, password, secret }): Promise<DemoAccount[]> => {
      const stored = await accounts.findByUsername(planned.username);
      if (stored === undefined || stored.account.tenantId !== planned.tenantId) return [];
      const { account, passwordHash } = stored;
      if (secret !== undefined) {
        const now = clock();
        const hash = clientSecretHash(secret);
        const known = await secrets.findByOwner({ tenantId: account.tenantId, ownerId: account.id }, now);
        const live = known.filter((one) => !isPast(one.expiresAt, now));
        const secretIds = live.filter((one) => hash.equals(one.hash)).map(({ id }) => id);
        return secretIds.length === 0 ? [] : [{ account, secretIds, hasOwnSecrets: live.length > secretIds.length }];
      }
      const isPublished = passwordHash !== undefined && (await isCorrect(passwordHash, password!));
      return isPublished ? [{ account, secretIds: [], hasOwnSecrets: false }] : [];
    }),
  );
  return found.flat();
}
