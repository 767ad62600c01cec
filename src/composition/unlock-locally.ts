// Unlocks an account from the command line. Uses only the database and the audit log, not keys and services.
import type { Logger } from 'pino';
import { createAuditLog } from '../audit/audit-log.ts';
import type { Settings } from '../config/settings.ts';
import { newId } from '../db/ids.ts';
import { createUnlockAccount, type UnlockResult } from '../identity/users/unlock-account.ts';
import { LOCAL_COMMAND, NO_REFUSALS } from './local-operator.ts';
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
    const audit = createAuditLog(database, Date.now, NO_REFUSALS);
    const deadline = { at: Date.now() + UNLOCK_LIMIT_MS, signal: AbortSignal.timeout(UNLOCK_LIMIT_MS) };
    const context = { requestId: newId(), clientAddress: LOCAL_COMMAND, deadline, log };
    return createUnlockAccount({ database, audit, actor: LOCAL_COMMAND })(username, context);
  });
}
