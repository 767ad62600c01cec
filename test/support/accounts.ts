import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import { tenantBytes } from '../../src/platform/db/query/tenant-scope.ts';
import { DatabaseError } from '../../src/platform/db/errors.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { NO_FACTORS, type Account, type StoredAccount } from '../../src/auth/access/account.ts';
import { insertAccount } from '../../src/auth/identity/account-store.ts';
import { createPasswordHasher } from '../../src/auth/identity/authentication/password-hasher.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { insertTenant, tenantExists } from '../../src/auth/tenancy/tenant-store.ts';
import { builtInRights } from '../../src/auth/access/roles/rights.ts';

/** The password of every seeded account. */
export const PASSWORD = 'Correct horse 42';

// All accounts share one hash, because no test depends on different salts.
let hash: Promise<string> | undefined;
const passwordHash = () =>
  (hash ??= createPasswordHasher({ maxConcurrent: 1, maxQueued: 1, maxMemoryBytes: 2 ** 30 }).hash(PASSWORD, {
    clientAddress: 'test',
    deadline: UNLIMITED,
  }));

export type Seed = Partial<Omit<StoredAccount, 'tenantId'>> & { readonly tenantId?: string | undefined };

let seeded = 0;

/** Inserts an account into the database, and its tenant if that is missing. */
export async function seedAccount(database: Database, seed: Seed = {}): Promise<Account> {
  seeded += 1;
  const tenantId = 'tenantId' in seed ? seed.tenantId : 'acme';
  const stored: StoredAccount = {
    id: newId(),
    username: `user-${seeded}-${process.pid}@acme.test`,
    name: `User ${seeded}`,
    email: undefined,
    interactive: true,
    roles: ['MANAGER'],
    disabled: false,
    resourceServer: false,
    accountExpiresAt: undefined,
    credentialsExpireAt: undefined,
    loginFailedCount: 0,
    lockedUntil: undefined,
    ...NO_FACTORS,
    createdAt: Date.now(),
    ...seed,
    tenantId,
  };
  const account: Account = { ...stored, rights: builtInRights(stored) };
  if (tenantId !== undefined && !(await tenantExists(database, tenantId))) {
    const tenant = { id: tenantId, name: tenantId, status: 'ACTIVE', createdAt: Date.now() } as const;
    await insertTenant(database, tenant).catch((error: unknown) => {
      // Another account's tenant is the same.
      if (!(error instanceof DatabaseError && error.kind === 'duplicate')) throw error;
    });
  }
  const hasPassword = account.interactive && seed.hasPassword !== false;
  await insertAccount(database, account, hasPassword ? await passwordHash() : undefined);
  // The store adds accounts that have never failed.
  if (account.loginFailedCount > 0 || account.lockedUntil !== undefined)
    await database.execute(
      'UPDATE accounts SET login_failed_count = ?, locked_until = ? WHERE tenant_id = ? AND id = ?',
      [account.loginFailedCount, account.lockedUntil ?? null, tenantBytes(tenantId), idToBytes(account.id)],
    );
  return account;
}
