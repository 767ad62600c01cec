import createKnex, { type Knex } from 'knex';
import type { Logger } from 'pino';
import { knexOptions } from '../knex-options.ts';
import { STATEMENT_TIMEOUT_MS } from '../limits.ts';
import { discard, isUsable, openConnection, send, type MysqlConnection } from './connection.ts';
import { PatientMysqlClient } from './knex.ts';
import type { MysqlTarget } from './target.ts';
import { createPool } from '../pool.ts';

// The server frees this lock with the connection of its holder, so a process that was killed leaves none behind.
const TAKE_LOCK = "SELECT GET_LOCK(CONCAT('migrate:', SHA2(DATABASE(), 224)), 1) AS taken";

/**
 * Runs `work` while this process holds the database's migration lock, on connections of their own without limits for
 * statements. Waits for as long as another process migrates.
 */
export async function migrateMysqlExclusively<T>(
  target: MysqlTarget,
  log: Logger,
  work: (knex: Knex) => Promise<T>,
): Promise<T> {
  const lock = await openConnection(target.connection);
  const pool = createPool<MysqlConnection>({
    max: 2,
    acquireTimeoutMs: 2 * STATEMENT_TIMEOUT_MS,
    create: () => openConnection(target.connection),
    isUsable,
    destroy: (connection) => discard(connection, 'closed'),
  });
  try {
    await takeLock(lock, log);
    const extras = {
      address: target.address,
      migrateExclusively: () => Promise.reject(new TypeError('Already migrating')),
    };
    const knex = createKnex(knexOptions(PatientMysqlClient, pool, extras, log));
    // Whoever held knex's own lock row is gone, or it would hold ours.
    await knex.migrate.forceFreeMigrationsLock();
    return await work(knex);
  } finally {
    await pool.close();
    discard(lock, 'closed');
  }
}

async function takeLock(connection: MysqlConnection, log: Logger): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const [rows] = await send(connection, 'query', TAKE_LOCK, [], STATEMENT_TIMEOUT_MS);
    if ((rows as { taken: number }[])[0]?.taken === 1) return;
    if (attempt % 5 === 0) log.info('waiting for another process to finish its migrations');
  }
}
