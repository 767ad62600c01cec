import { readdir } from 'node:fs/promises';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { extrasOf } from './knex-options.ts';
import type { Database } from './types.ts';

const DIRECTORY = new URL('../../migrations/', import.meta.url);
const TABLE = 'knex_migrations';

/**
 * Applies the migrations that are missing and returns how many there were. Several processes may call it at once: one
 * works, the others wait and find nothing left to do. A migration that was killed is carried on by the next call, since every
 * one of them may run twice.
 */
export async function migrate(database: Database, log: Logger): Promise<number> {
  const applied = await extrasOf(database.knex).migrateExclusively(log, async (knex) => {
    // No transactions of knex's: MySQL commits at every CREATE TABLE anyway, and SQLite is in one already.
    const config = {
      tableName: TABLE,
      migrationSource: SOURCE,
      disableTransactions: true,
      // A process of the previous release can restart while the next one has already applied its migrations.
      disableMigrationsListValidation: true,
    };
    const [, names] = (await knex.migrate.latest(config)) as [number, string[]];
    return names;
  });
  for (const name of applied) log.info({ migration: name }, 'migration applied');
  return applied.length;
}

/** The names of the migrations that this version wants and the database lacks, in order. Changes nothing. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const known = await migrationNames();
  if (!(await database.knex.schema.hasTable(TABLE))) return known;
  const applied = new Set(await database.knex(TABLE).pluck<string[]>('name'));
  return known.filter((name) => !applied.has(name));
}

async function migrationNames(): Promise<string[]> {
  return (await readdir(DIRECTORY)).filter((name) => name.endsWith('.ts')).toSorted();
}

/** knex wants a way back from every migration; ours have none. */
const SOURCE: Knex.MigrationSource<string> = {
  getMigrations: migrationNames,
  getMigrationName: (name) => name,
  async getMigration(name) {
    const { up } = (await import(new URL(name, DIRECTORY).href)) as Pick<Knex.Migration, 'up'>;
    return { up, down: () => Promise.reject(new TypeError('Migrations go forward only')) };
  },
};
