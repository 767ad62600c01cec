// Unlocks an account from the command line. Uses only the database and the audit log, not keys and services.
import type { Logger } from 'pino';
import type { Settings } from '../platform/config/settings.ts';
import { createUnlockAccount, type UnlockResult } from '../auth/identity/users/unlock-account.ts';
import { createLocalAuditLog, createLocalContext, LOCAL_COMMAND } from './local-operator.ts';
import { useDatabase } from './usable-database.ts';

const UNLOCK_LIMIT_MS = 5_000;

/** Unlocks an account. Rejects with UnusableDatabaseError if the database does not respond within seconds. */
export async function unlockLocally(options: {
  readonly settings: Settings;
  readonly username: string;
  readonly log: Logger;
}): Promise<UnlockResult> {
  const { username, log } = options;
  return useDatabase(options, (database) => {
    const audit = createLocalAuditLog(database);
    const deadline = { at: Date.now() + UNLOCK_LIMIT_MS, signal: AbortSignal.timeout(UNLOCK_LIMIT_MS) };
    const context = { ...createLocalContext(log), deadline };
    return createUnlockAccount({ database, audit, actor: LOCAL_COMMAND })(username, context);
  });
}
