// Maintenance of the database without keys and services.
import { migrate, migrationStates, planMigrations, type PlannedMigration } from '../platform/db/migrate.ts';
import { createAccountStore, createAccountWriter } from '../auth/identity/account-store.ts';
import { unlock } from '../auth/identity/authentication/account-lock.ts';
import { canonicalUsername } from '../auth/identity/login-name.ts';
import { createAuthentication } from './authentication.ts';
import { applyBootstrapFile } from './first-accounts.ts';
import { createFoundation } from './foundation.ts';
import { invitationsOf } from './mail-locally.ts';
import { createLocalAuditLog, createLocalContext, LOCAL_COMMAND } from './local-operator.ts';
import { type LocalOptions, useDatabase } from './usable-database.ts';

/** Returns the migrations of this program, and whether the database has them. */
export function listMigrations(options: LocalOptions): Promise<{ name: string; applied: boolean }[]> {
  return useDatabase({ ...options, schema: 'any' }, migrationStates);
}

/** Returns the missing migrations with their SQL statements. Changes nothing. */
export function planMissingMigrations(options: LocalOptions): Promise<PlannedMigration[]> {
  return useDatabase({ ...options, schema: 'any' }, planMigrations);
}

/** Applies the missing migrations and returns their names. Creates a missing SQLite file. */
export function applyMigrations(options: LocalOptions): Promise<string[]> {
  return useDatabase({ ...options, schema: 'created' }, async (database) => {
    const missing = (await migrationStates(database)).filter(({ applied }) => !applied).map(({ name }) => name);
    const ignoreLowestVersion = options.settings['app.database.ignore-lowest-version'];
    await migrate(database, options.log, { ignoreLowestVersion });
    return missing;
  });
}

/** Creates the tenants and accounts of a bootstrap file that are missing. */
export function bootstrap(file: string, options: LocalOptions) {
  const { settings, log } = options;
  return useDatabase(options, async (database) => {
    const foundation = createFoundation({ settings, database, clock: Date.now, log, tracer: undefined, grants: [] });
    const authentication = createAuthentication(foundation);
    const { hasher, checkPassword } = authentication;
    try {
      return await applyBootstrapFile(file, foundation, {
        hasher,
        checkPassword,
        invitations: invitationsOf(foundation),
      });
    } finally {
      await authentication.close?.();
      await foundation.close?.();
    }
  });
}

const UNLOCK_LIMIT_MS = 5_000;

export type UnlockResult = 'unlocked' | 'not-locked' | 'unknown-account';

/**
 * Unlocks the account with a username, also of an administrator. Rejects with UnusableDatabaseError if the database does
 * not respond within seconds.
 */
export function unlockLocally(options: LocalOptions & { readonly username: string }): Promise<UnlockResult> {
  return useDatabase(options, async (database) => {
    const deadline = { at: Date.now() + UNLOCK_LIMIT_MS, signal: AbortSignal.timeout(UNLOCK_LIMIT_MS) };
    const context = { ...createLocalContext(options.log), deadline };
    const username = canonicalUsername(options.username);
    const found = username === undefined ? undefined : await createAccountStore(database).findByUsername(username);
    if (!found) return 'unknown-account';
    return createLocalAuditLog(database).commit(context, async (tx, record) => {
      const account = await createAccountWriter(database).lock(tx, found.account, deadline);
      if (!account) return 'unknown-account';
      if (!(await unlock(tx, account))) return 'not-locked';
      const { id: accountId, tenantId, loginFailedCount } = account;
      const details = { loginFailedCount, actor: LOCAL_COMMAND };
      record({ event: 'account.unlocked', tenantId, accountId, username, details });
      return 'unlocked';
    });
  });
}
