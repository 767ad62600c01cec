// Unlocks an account from the command line. Uses only the database and the audit log, not keys and services.
import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { createAuditLog } from '../audit/audit-log.ts';
import type { Settings } from '../config/settings.ts';
import { parseDatabaseUrl } from '../db/database-url.ts';
import { connectDatabase } from '../db/connect.ts';
import { newId } from '../db/ids.ts';
import { pendingMigrations } from '../db/migrate.ts';
import type { Database } from '../db/types.ts';
import { waitForDatabase } from '../db/wait.ts';
import { isDefect } from '../errors.ts';
import { createUnlockAccount, type UnlockResult } from '../identity/users/unlock-account.ts';

/** The database cannot be used. The message names the setting and the database but contains no password. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError';
}

/** Recorded in audit records instead of an actor's account and a client's address. */
const LOCAL_COMMAND = 'local-command';
const WAIT_LIMIT_MS = 3_000;
const UNLOCK_LIMIT_MS = 5_000;

/** Unlocks an account. Rejects with UnusableDatabaseError if the database does not respond within seconds. */
export async function unlockLocally(options: {
  readonly settings: Settings;
  readonly username: string;
  readonly log: Logger;
}): Promise<UnlockResult> {
  const { settings, username, log } = options;
  const url = settings['app.database.url'];
  const { address } = parseDatabaseUrl(url);
  let database: Database | undefined;
  try {
    assertFileExists(url);
    database = connectDatabase({ url, poolSize: 1, log });
    await waitForDatabase(database, { log, timeoutMs: WAIT_LIMIT_MS });
    await assertCurrentSchema(database);
    // An unlock is never a refusal, so none is counted.
    const audit = createAuditLog(database, Date.now, { count: () => undefined });
    const deadline = { at: Date.now() + UNLOCK_LIMIT_MS, signal: AbortSignal.timeout(UNLOCK_LIMIT_MS) };
    const context = { requestId: newId(), clientAddress: LOCAL_COMMAND, deadline, log };
    return await createUnlockAccount({ database, audit, actor: LOCAL_COMMAND })(username, context);
  } catch (error) {
    if (isDefect(error)) throw error;
    const { message } = error as Error;
    const reason = message.includes(address) ? message : `${address}: ${message}`;
    throw new UnusableDatabaseError(`app.database.url: ${reason}`, { cause: error });
  } finally {
    await database?.close();
  }
}

/** The service creates its SQLite file. The command must not, because a new file would hide a wrong path. */
function assertFileExists(url: string): void {
  const target = parseDatabaseUrl(url);
  if (target.engine === 'sqlite' && target.filename !== ':memory:' && !existsSync(target.filename)) {
    throw new Error('the file does not exist; give the database of the service');
  }
}

async function assertCurrentSchema(database: Database): Promise<void> {
  const [missing] = await pendingMigrations(database);
  if (missing === undefined) return;
  throw new Error(
    `the schema is missing or older than this program (without migration ${missing}); start this version of the service ` +
      'once, which brings it up to date, or run the command of the version that is in use',
  );
}
