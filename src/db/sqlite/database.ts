// SQLite, embedded: one file, one writer at a time.
// Imported by src/db.
import { dirname, resolve } from 'node:path';
import createKnex, { type Knex } from 'knex';
import type { Logger } from 'pino';
import type { SqliteUrl } from '../database-url.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { knexOptions } from '../knex-options.ts';
import { ACQUIRE_TIMEOUT_MS, LOCK_TIMEOUT_MS, OPEN_LOCK_TIMEOUT_MS } from '../limits.ts';
import { createPool } from '../pool.ts';
import { changeRows, openConnection, readRows, type SqliteConnection } from './connection.ts';
import { SqliteClient } from './knex.ts';
import { createLockQueue, unlessLocked, type LOCKED, type LockQueue } from './lock.ts';
import { runSqliteTransaction } from './transaction.ts';
import type { Database, SqlValue } from '../types.ts';
import { checkValues } from '../values.ts';
import { within } from '../within.ts';

const NONE: readonly SqlValue[] = [];

/** A Database over one SQLite file, made with its folder where it is missing, or over memory. */
export function createSqliteDatabase({ filename, address }: SqliteUrl, log: Logger): Database {
  if (filename !== ':memory:') makeFolderOf(filename);
  const opening = createLockQueue();
  // What reads is locked out for rare moments only, and never waits behind those who write.
  const reading = createLockQueue();
  const writing = createLockQueue();
  // One connection: calls are synchronous, so a second one could only wait for the first with the event loop blocked.
  const pool = createPool<SqliteConnection>({
    max: 1,
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    create: () => opening.run(async () => openConnection(filename), OPEN_LOCK_TIMEOUT_MS),
    isUsable: (connection) => connection.__knex__disposed === undefined,
    destroy: (connection) => connection.db.close(),
  });
  const knex: Knex = createKnex({
    ...knexOptions(SqliteClient, pool, { address, migrateExclusively: (_log, work) => knex.transaction(work) }, log),
    useNullAsDefault: true,
  });

  /** Runs one statement. Who finds the file locked waits without the connection, so that others can go on. */
  function run<T>(queue: LockQueue, statement: (connection: SqliteConnection) => T): Promise<T> {
    return queue.run(async () => {
      const connection = pool.tryAcquire() ?? (await pool.acquire());
      try {
        return unlessLocked(() => statement(connection));
      } finally {
        pool.release(connection);
      }
    }, LOCK_TIMEOUT_MS);
  }

  async function begin(): Promise<SqliteConnection | typeof LOCKED> {
    const connection = pool.tryAcquire() ?? (await pool.acquire());
    try {
      return unlessLocked(() => {
        connection.db.exec('BEGIN IMMEDIATE');
        return connection;
      });
    } finally {
      if (!connection.db.isTransaction) pool.release(connection);
    }
  }

  return {
    engine: 'sqlite',
    knex,
    beforeDeadline: "? > unixepoch('now', 'subsec') * 1000",
    deadlineValue: (deadline) => Math.floor(deadline.at),
    // A transaction has the only write lock from its beginning.
    shareLock: '',
    async query<R>(sql: string, values = NONE) {
      checkValues(values);
      return run(reading, (connection) => readRows(connection, sql, values) as R[]);
    },
    async execute(sql, values = NONE) {
      checkValues(values);
      return run(writing, (connection) => changeRows(connection, sql, values));
    },
    transaction(deadline, work) {
      const timeoutMs = Math.min(LOCK_TIMEOUT_MS, deadline.at - Date.now());
      const source = { begin: () => writing.run(begin, timeoutMs), release: pool.release };
      return runSqliteTransaction(source, deadline, work);
    },
    ping: (timeoutMs) =>
      within(
        timeoutMs,
        run(reading, (connection) => void readRows(connection, 'SELECT 1', NONE)),
      ),
    close: () => pool.close(),
  };
}

function makeFolderOf(filename: string): void {
  const folder = dirname(resolve(filename));
  try {
    makeFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The folder ${folder} of the database cannot be made (${code}); give app.database.url=sqlite:PATH`,
      { cause: error },
    );
  }
}
