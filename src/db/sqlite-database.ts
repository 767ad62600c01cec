import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import createKnex, { type Knex } from 'knex';
import type { Logger } from 'pino';
import type { SqliteTarget } from './database-url.ts';
import { knexOptions } from './knex-options.ts';
import { ACQUIRE_TIMEOUT_MS } from './limits.ts';
import { createPool } from './pool.ts';
import { changeRows, guarded, openConnection, readRows, type SqliteConnection } from './sqlite-connection.ts';
import { SqliteClient } from './sqlite-knex.ts';
import { runTransaction, type TransactionSession } from './transaction.ts';
import type { Database, SqlValue } from './types.ts';
import { checkValues } from './values.ts';
import { within } from './within.ts';

const NONE: readonly SqlValue[] = [];

/** A Database over one SQLite file, made with its folder where it is missing, or over memory. */
export function createSqliteDatabase({ filename, address }: SqliteTarget, log: Logger): Database {
  if (filename !== ':memory:') makeFolder(dirname(filename));
  // One connection: calls are synchronous, so a second one could only wait for the first with the event loop blocked.
  const pool = createPool<SqliteConnection>({
    max: 1,
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    create: async () => openConnection(filename),
    isUsable: (connection) => connection.__knex__disposed === undefined,
    destroy: (connection) => connection.db.close(),
  });
  const knex: Knex = createKnex({
    ...knexOptions(SqliteClient, pool, { address, migrateExclusively: (_log, work) => knex.transaction(work) }, log),
    useNullAsDefault: true,
  });

  async function run<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    const connection = pool.tryAcquire() ?? (await pool.acquire());
    try {
      return work(connection);
    } finally {
      pool.release(connection);
    }
  }

  return {
    engine: 'sqlite',
    knex,
    beforeDeadline: "? > unixepoch('now', 'subsec') * 1000",
    deadlineValue: (deadline) => Math.floor(deadline.at),
    async query<R>(sql: string, values = NONE) {
      checkValues(values);
      return run((connection) => readRows(connection, sql, values) as R[]);
    },
    async execute(sql, values = NONE) {
      checkValues(values);
      return run((connection) => changeRows(connection, sql, values));
    },
    async transaction(deadline, work) {
      const connection = pool.tryAcquire() ?? (await pool.acquire());
      try {
        return await runTransaction(sessionOf(connection), deadline, work);
      } finally {
        pool.release(connection);
      }
    },
    ping: (timeoutMs) =>
      within(
        timeoutMs,
        run((connection) => void readRows(connection, 'SELECT 1', NONE)),
      ),
    close: () => pool.close(),
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The folder ${folder} of the database cannot be made (${code}); give app.database.url=sqlite:PATH`,
      { cause: error },
    );
  }
}

function sessionOf(connection: SqliteConnection): TransactionSession {
  const exec = async (sql: string) => guarded(() => connection.db.exec(sql));
  return {
    async query<R>(sql: string, values = NONE) {
      checkValues(values);
      return readRows(connection, sql, values) as R[];
    },
    async execute(sql, values = NONE) {
      checkValues(values);
      return changeRows(connection, sql, values);
    },
    begin: () => exec('BEGIN IMMEDIATE'),
    commit: () => exec('COMMIT'),
    // SQLite has rolled back by itself after a full disk and the like.
    rollback: async () => (connection.db.isTransaction ? exec('ROLLBACK') : undefined),
    discard: () => {
      connection.__knex__disposed = 'rollback failed';
    },
  };
}
