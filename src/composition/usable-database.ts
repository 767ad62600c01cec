// Opens the database of the service for a command on its machine.
import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Settings } from '../platform/config/settings.ts';
import { connectDatabase } from '../platform/db/connect.ts';
import { parseDatabaseUrl } from '../platform/db/database-url.ts';
import { DatabaseError } from '../platform/db/errors.ts';
import { checkSchema, describeTooNew } from '../platform/db/migrate.ts';
import type { Database } from '../platform/db/types.ts';
import { waitForDatabase } from '../platform/db/wait.ts';
import { DependencyUnavailableError, isDefect } from '../platform/errors.ts';
import { loadModules } from './load-modules.ts';

/** The database cannot be used. The message names the setting and the database but contains no password. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError';
}

/** The options of a command on the machine of the service. */
export interface LocalOptions {
  readonly settings: Settings;
  readonly log: Logger;
}

export interface UseDatabaseOptions extends LocalOptions {
  readonly poolSize?: number;
  /**
   * `current` refuses a missing or older schema, `any` accepts it, and `created` also creates a missing SQLite file.
   * Default: `current`.
   */
  readonly schema?: 'current' | 'any' | 'created';
}

const WAIT_LIMIT_MS = 3_000;

/**
 * Connects to the database of the service. Rejects with UnusableDatabaseError if it does not respond within seconds, or
 * if its schema is older than this program.
 */
export async function openUsableDatabase(options: UseDatabaseOptions): Promise<Database> {
  const { settings, log, poolSize = 1, schema = 'current' } = options;
  const url = settings['app.database.url'];
  await loadModules(settings);
  let database: Database | undefined;
  try {
    if (schema !== 'created') assertFileExists(url);
    database = connectDatabase({ url, poolSize, log });
    await waitForDatabase(database, { log, timeoutMs: WAIT_LIMIT_MS });
    if (schema === 'current') await assertCurrentSchema(database, settings);
    return database;
  } catch (error) {
    await database?.close();
    throw isDefect(error) ? error : unusable(url, error as Error);
  }
}

/** Runs work with the database. Failures of its statements reject with UnusableDatabaseError. */
export async function useDatabase<T>(
  options: UseDatabaseOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openUsableDatabase(options);
  try {
    return await work(database);
  } catch (error) {
    const isOfDatabase = error instanceof DatabaseError || error instanceof DependencyUnavailableError;
    throw isOfDatabase ? unusable(options.settings['app.database.url'], error) : error;
  } finally {
    await database.close();
  }
}

function unusable(url: string, error: Error): UnusableDatabaseError {
  const { address } = parseDatabaseUrl(url);
  const reason = error.message.includes(address) ? error.message : `${address}: ${error.message}`;
  return new UnusableDatabaseError(`app.database.url: ${reason}`, { cause: error });
}

/** The service creates its SQLite file. A command must not, because a new file would hide a wrong path. */
function assertFileExists(url: string): void {
  const target = parseDatabaseUrl(url);
  if (target.engine === 'sqlite' && target.filename !== ':memory:' && !existsSync(target.filename)) {
    throw new Error('the file does not exist; give the database of the service');
  }
}

async function assertCurrentSchema(database: Database, settings: Settings): Promise<void> {
  const ignoreLowestVersion = settings['app.database.ignore-lowest-version'];
  const {
    missing: [missing],
    tooNew,
  } = await checkSchema(database, { ignoreLowestVersion });
  if (tooNew !== undefined) throw new Error(`the database ${describeTooNew(tooNew)}`);
  if (missing === undefined) return;
  throw new Error(
    `the schema is missing or older than this program (without migration ${missing}); run authservice migrate up, or ` +
      'run the command of the version that is in use',
  );
}
