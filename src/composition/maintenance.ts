// Maintenance of the database without keys and services.
import type { Logger } from 'pino';
import type { Settings } from '../platform/config/settings.ts';
import { migrate, migrationStates, planMigrations, type PlannedMigration } from '../platform/db/migrate.ts';
import { createAuthentication } from './authentication.ts';
import { applyBootstrapFile } from './first-accounts.ts';
import { createFoundation } from './foundation.ts';
import { useDatabase } from './usable-database.ts';

interface Options {
  readonly settings: Settings;
  readonly log: Logger;
}

/** Returns the migrations of this program, and whether the database has them. */
export function listMigrations(options: Options): Promise<{ name: string; applied: boolean }[]> {
  return useDatabase({ ...options, schema: 'any' }, migrationStates);
}

/** Returns the missing migrations with their SQL statements. Changes nothing. */
export function planMissingMigrations(options: Options): Promise<PlannedMigration[]> {
  return useDatabase({ ...options, schema: 'any' }, planMigrations);
}

/** Applies the missing migrations and returns their names. Creates a missing SQLite file. */
export function applyMigrations(options: Options): Promise<string[]> {
  return useDatabase({ ...options, schema: 'created' }, async (database) => {
    const missing = (await migrationStates(database)).filter(({ applied }) => !applied).map(({ name }) => name);
    await migrate(database, options.log);
    return missing;
  });
}

/** Creates the tenants and accounts of a bootstrap file that are missing. */
export function bootstrap(file: string, options: Options) {
  const { settings, log } = options;
  return useDatabase(options, async (database) => {
    const foundation = createFoundation({ settings, database, clock: Date.now, log, tracer: undefined });
    const authentication = createAuthentication(foundation);
    try {
      return await applyBootstrapFile(file, { ...foundation, ...authentication });
    } finally {
      await authentication.close?.();
      await foundation.close?.();
    }
  });
}
