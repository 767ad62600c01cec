// SQLite, embedded: one file, one writer at a time.
// Imported by src/db.
import { dirname, resolve } from 'node:path';
import { UNLIMITED, type Deadline } from '../../clock.ts';
import type { SqliteUrl } from '../database-url.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { ACQUIRE_TIMEOUT_MS, LOCK_TIMEOUT_MS, MIGRATION_LOCK_TIMEOUT_MS, OPEN_LOCK_TIMEOUT_MS } from '../limits.ts';
import { createGroupCommit, type Member } from '../group-commit.ts';
import { createPool } from '../pool.ts';
import { refuseAfter } from '../transaction.ts';
import { changeRows, openConnection, readRows, type SqliteConnection, type SqliteValues } from './connection.ts';
import { commitTogether, type SqliteWrite } from './group.ts';
import { createLockQueue, LOCKED, unlessLocked, type LockQueue } from './lock.ts';
import { runSqliteTransaction } from './transaction.ts';
import type { Tracer } from '../../tracing/tracer.ts';
import type { Database } from '../types.ts';
import { checkValues } from '../values.ts';
import { within } from '../within.ts';

const NONE: SqliteValues = [];

/** Maximum writes per commit. They block the event loop while they run, about 10 µs each. */
const MAX_GROUP = 128;

/** Creates a Database for one SQLite file or in memory. Creates the file and its folder if they are missing. */
export function createSqliteDatabase({ filename, address }: SqliteUrl, tracer?: Tracer): Database {
  if (filename !== ':memory:') makeFolderOf(filename);
  const opening = createLockQueue();
  // Readers are locked out only rarely, and never wait behind writers.
  const reading = createLockQueue();
  const writing = createLockQueue();
  // One connection is enough. Calls are synchronous, so a second one could only block the event loop while waiting for
  // the first.
  const pool = createPool<SqliteConnection>({
    max: 1,
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    create: () => opening.run(async () => openConnection(filename), OPEN_LOCK_TIMEOUT_MS),
    isUsable: (connection) => connection.discardedBecause === undefined,
    destroy: (connection) => connection.db.close(),
  });
  /**
   * Runs one statement. If the file is locked, the statement waits without the connection, so that others can continue.
   */
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

  const groups = createGroupCommit<SqliteWrite>({
    maxMembers: MAX_GROUP,
    tracer,
    async commit(members) {
      if (members.length > 1 && !writing.isWaiting && (await together(members)) !== LOCKED) return;
      // Runs each write alone, with its own place in the queue and its own deadline.
      for (const { write, deadline, resolve, reject } of members) alone(write, deadline).then(resolve, reject);
    },
  });

  async function together(members: readonly Member<SqliteWrite>[]): Promise<typeof LOCKED | undefined> {
    const connection = pool.tryAcquire() ?? (await pool.acquire());
    try {
      return commitTogether(connection, members);
    } finally {
      pool.release(connection);
    }
  }

  function alone({ sql, values }: SqliteWrite, deadline: Deadline): Promise<number> {
    return run(writing, (connection) => {
      refuseAfter(deadline);
      return changeRows(connection, sql, values);
    });
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
    address,
    beforeDeadline: "? > unixepoch('now', 'subsec') * 1000",
    deadlineValue: (deadline) => Math.floor(deadline.at),
    // A transaction holds the only write lock from its start.
    shareLock: '',
    async query<R>(sql: string, values = NONE) {
      checkValues(values);
      return run(reading, (connection) => readRows(connection, sql, values) as R[]);
    },
    async execute(sql, values = NONE) {
      checkValues(values);
      return groups.run({ sql, values }, UNLIMITED);
    },
    async insert({ into, row, values }, deadline) {
      checkValues(values);
      await groups.run({ sql: `INSERT INTO ${into} ${row}`, values }, deadline);
    },
    async transaction(deadline, work) {
      await groups.barrier();
      const timeoutMs = Math.min(LOCK_TIMEOUT_MS, deadline.at - Date.now());
      const source = { begin: () => writing.run(begin, timeoutMs), release: pool.release };
      return runSqliteTransaction(source, deadline, work);
    },
    async migrateExclusively(_log, work) {
      await groups.barrier();
      const source = { begin: () => writing.run(begin, MIGRATION_LOCK_TIMEOUT_MS), release: pool.release };
      return runSqliteTransaction(source, UNLIMITED, (tx) => work({ ...tx, engine: 'sqlite' }));
    },
    ping: (timeoutMs) =>
      within(
        timeoutMs,
        run(reading, (connection) => void readRows(connection, 'SELECT 1', NONE)),
      ),
    poolState: pool.state,
    close: () => groups.barrier().then(pool.close),
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
