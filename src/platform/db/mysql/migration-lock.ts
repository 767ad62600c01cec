import type { Logger } from 'pino';
import { STATEMENT_TIMEOUT_MS } from '../limits.ts';
import type { MigrationStatements, SqlValue } from '../types.ts';
import { checkValues } from '../values.ts';
import { affectedRows, discard, openConnection, send, type MysqlConnection } from './connection.ts';
import type { HostTarget } from './target.ts';

// The server releases this lock with its holder's connection, so a killed process leaves no lock.
const TAKE_LOCK = "SELECT GET_LOCK(CONCAT('migrate:', SHA2(DATABASE(), 224)), 1) AS taken";
/** No time limit: migrations may rebuild large tables. */
const MIGRATION_STATEMENT_TIMEOUT_MS = 24 * 3_600_000;

/** Implements Database.migrateExclusively. The lock and the statements have separate connections. */
export async function migrateMysqlExclusively<T>(
  target: HostTarget,
  log: Logger,
  work: (schema: MigrationStatements) => Promise<T>,
): Promise<T> {
  const lock = await openConnection(target.connection);
  let connection: MysqlConnection | undefined;
  try {
    await takeLock(lock, log);
    connection = await openConnection(target.connection);
    return await work(statementsOf(connection));
  } finally {
    if (connection) discard(connection, 'closed');
    discard(lock, 'closed');
  }
}

/** Sends statements as text, because not all statements of migrations can be prepared. */
function statementsOf(connection: MysqlConnection): MigrationStatements {
  const run = async (sql: string, values: readonly SqlValue[] = []) => {
    checkValues(values);
    return (await send(connection, 'query', sql, values, MIGRATION_STATEMENT_TIMEOUT_MS))[0];
  };
  return {
    engine: 'mysql',
    query: async <R>(sql: string, values?: readonly SqlValue[]) => (await run(sql, values)) as unknown as R[],
    execute: async (sql, values) => affectedRows(await run(sql, values)),
  };
}

async function takeLock(connection: MysqlConnection, log: Logger): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const [rows] = await send(connection, 'query', TAKE_LOCK, [], STATEMENT_TIMEOUT_MS);
    if ((rows as { taken: number }[])[0]?.taken === 1) return;
    if (attempt % 5 === 0) log.info('waiting for another process to finish its migrations');
  }
}
