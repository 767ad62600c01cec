import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { KnexPool } from './pool.ts';

/** What migrations and the wait at start need beyond the Database; carried by its knex. */
export interface KnexExtras {
  /** What the database is for people: engine, host, port and name, without credentials. */
  readonly address: string;
  /**
   * Runs `work` while no other process migrates this database, on a builder whose statements may take as long as they
   * need (SQLite: in one transaction); resolves to what `work` returned.
   */
  migrateExclusively<T>(log: Logger, work: (knex: Knex) => Promise<T>): Promise<T>;
}

/** The extras of a Database's knex. */
export function extrasOf(knex: Knex): KnexExtras {
  return knex.userParams as KnexExtras;
}

/** The options that both engines share. */
export function knexOptions<Connection>(
  client: typeof Knex.Client,
  pool: KnexPool<Connection>,
  extras: KnexExtras,
  log: Logger,
): Knex.Config & { userParams: object } {
  return {
    client,
    connectionPool: pool.forKnex,
    // Its message of a failed statement would quote the values.
    compileSqlOnError: false,
    userParams: { ...extras },
    log: {
      warn: (message: unknown) => log.debug({ knex: message }, 'knex'),
      error: (message: unknown) => log.debug({ knex: message }, 'knex'),
      deprecate: (message: unknown) => log.debug({ knex: message }, 'knex'),
      debug: (message: unknown) => log.trace({ knex: message }, 'knex'),
    },
  };
}
