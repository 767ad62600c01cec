// SQLite, embedded: one file, one writer at a time.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Deadline, UNLIMITED } from '../../clock.ts';
import { SettingError } from '../../setting-error.ts';
import { makeFolder } from '../../files/make-folder.ts';
import type { Tracer } from '../../tracing/tracer.ts';
import type { SqliteUrl } from '../database-url.ts';
import { within } from '../errors.ts';
import { type Member, createGroupCommit } from '../group-commit.ts';
import { ACQUIRE_TIMEOUT_MS, LOCK_TIMEOUT_MS, MIGRATION_LOCK_TIMEOUT_MS, OPEN_LOCK_TIMEOUT_MS } from '../limits.ts';
import { createLongReads } from '../long-reads.ts';
import { createPool } from '../pool.ts';
import { type TransactionSession, runTransaction } from '../transaction.ts';
import type { Database, Reader, Statements } from '../types.ts';
import { checkValues } from '../values.ts';
import { createCheckpoints } from './checkpoints.ts';
import {
  type SqliteConnection,
  type SqliteValues,
  changeRows,
  guarded,
  openConnection,
  readRows,
} from './connection.ts';
import { type SqliteWrite, commitGroup } from './group.ts';
import { wantedCondition } from './interruption.ts';
import { LOCKED, type LockQueue, createLockQueue, unlessLocked } from './lock.ts';
import { MAX_READERS, createReaders } from './readers.ts';

const NONE: SqliteValues = [];

/** Maximum writes per commit. They block the event loop while they run, about 10 µs each. */
const MAX_GROUP = 128;

/** Creates a Database for one SQLite file or in memory. Creates the file and its folder if they are missing. */
export function createSqliteDatabase({ filename, address }: SqliteUrl, log: Logger, tracer?: Tracer): Database {
  if (filename !== ':memory:') {
    makeFolderOf(filename);
    if (!existsSync(filename))
      log.info({ file: resolve(filename) }, 'the SQLite file did not exist: this is a new database');
  }
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

  const select = (sql: string, values: SqliteValues) => run(reading, (connection) => readRows(connection, sql, values));

  const checkpoints = createCheckpoints(filename, log);
  const readers = createReaders(filename, log);
  const longReads = createLongReads(MAX_READERS);
  // A database in memory has no second connection.
  const isInMemory = filename === ':memory:';

  function releaseAfterCommit(connection: SqliteConnection): void {
    checkpoints.afterCommit(connection);
    pool.release(connection);
  }

  /** Writes that wait for the file since the last transaction that waits for it. */
  let blocked = new Set<Member<SqliteWrite>>();

  const groups = createGroupCommit<SqliteWrite>({
    maxMembers: MAX_GROUP,
    tracer,
    async commit(members) {
      if (!writing.isWaiting && (await withConnection((connection) => commitGroup(connection, members))) !== LOCKED)
        return;
      for (const member of members) waitForFile(member);
    },
  });

  async function withConnection<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    const connection = pool.tryAcquire() ?? (await pool.acquire());
    try {
      return work(connection);
    } finally {
      releaseAfterCommit(connection);
    }
  }

  /**
   * Each write waits with its own place and its own timeout. When the file is free, the first one is committed together
   * with those after it. Otherwise a short lock would end the sharing of commits until no write waits any more.
   */
  function waitForFile(member: Member<SqliteWrite>): void {
    const batch = blocked.add(member);
    // Takes the writes out of the batch in the same turn in which they run. Other attempts can begin before this one has returned, and
    // would run them again. They are chosen when the connection is free, because a write may time out until then.
    const commitBatch = (connection: SqliteConnection): typeof LOCKED | undefined => {
      const group = [...batch].slice(0, MAX_GROUP);
      if (group.length === 0) return undefined;
      try {
        if (commitGroup(connection, group) === LOCKED) return LOCKED;
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      for (const settled of group) batch.delete(settled);
      return undefined;
    };
    const attempt = async () => (batch.has(member) ? withConnection(commitBatch) : undefined);
    writing.run(attempt, LOCK_TIMEOUT_MS).catch((error: unknown) => {
      batch.delete(member);
      member.reject(error);
    });
  }

  /** Waits for earlier writes. Later ones wait for the transaction if it has to wait for the file. */
  async function queueTransaction(): Promise<void> {
    await groups.barrier();
    blocked = new Set();
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
    exclusiveLock: '',
    async query<R>(sql: string, values = NONE) {
      checkValues(values);
      return select(sql, values) as Promise<R[]>;
    },
    async queryLong<R>(sql: string, values: SqliteValues, reader: Reader) {
      checkValues(values);
      const rows = isInMemory ? select(sql, values) : longReads.run(reader, () => readers.read(sql, values, reader));
      return rows as Promise<R[]>;
    },
    whileWanted: isInMemory ? () => 'TRUE' : wantedCondition,
    async execute(sql, values = NONE) {
      checkValues(values);
      return groups.run({ sql, values }, UNLIMITED);
    },
    async insert({ into, row, values }, deadline) {
      checkValues(values);
      await groups.run({ sql: `INSERT INTO ${into} ${row}`, values }, deadline);
    },
    async transaction(deadline, work) {
      await queueTransaction();
      const timeoutMs = Math.min(LOCK_TIMEOUT_MS, deadline.at - Date.now());
      const source = { begin: () => writing.run(begin, timeoutMs), release: releaseAfterCommit };
      return runSqliteTransaction(source, deadline, work);
    },
    async migrateExclusively(_log, work) {
      await queueTransaction();
      const source = { begin: () => writing.run(begin, MIGRATION_LOCK_TIMEOUT_MS), release: releaseAfterCommit };
      return runSqliteTransaction(source, UNLIMITED, (tx) => work({ ...tx, engine: 'sqlite' }));
    },
    ping: (timeoutMs) =>
      within(
        timeoutMs,
        run(reading, (connection) => void readRows(connection, 'SELECT 1', NONE)),
      ),
    poolState: pool.state,
    longReads: longReads.state,
    async close() {
      await groups.barrier();
      await Promise.all([checkpoints.close(), readers.close()]);
      await pool.close();
    },
  };
}

function makeFolderOf(filename: string): void {
  const folder = dirname(resolve(filename));
  try {
    makeFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError(
      `The folder ${folder} of the database cannot be made (${code}); give app.database.url=sqlite:PATH`,
      { cause: error },
    );
  }
}

/** Provides the connection of a transaction. */
interface TransactionSource {
  /** Returns a connection in a new transaction that holds the write lock. */
  begin(): Promise<SqliteConnection>;
  release(connection: SqliteConnection): void;
}

/** Runs `work` in one transaction; implements Database.transaction. */
async function runSqliteTransaction<T>(
  { begin, release }: TransactionSource,
  deadline: Deadline,
  work: (tx: Statements) => Promise<T>,
): Promise<T> {
  let connection: SqliteConnection | undefined;
  // No statement here finds the file locked: the transaction holds the write lock, and in WAL mode readers do not block
  // a COMMIT.
  const use = <Result>(statement: (begun: SqliteConnection) => Result) => guarded(() => statement(connection!));
  const session: TransactionSession = {
    async query<R>(sql: string, values = NONE) {
      checkValues(values);
      return use((begun) => readRows(begun, sql, values)) as R[];
    },
    async execute(sql, values = NONE) {
      checkValues(values);
      return use((begun) => changeRows(begun, sql, values));
    },
    async begin() {
      connection = await begin();
    },
    commit: async () => use(({ db }) => db.exec('COMMIT')),
    // There is no transaction if it did not begin, or if SQLite has rolled it back, for example because the disk is full.
    rollback: async () => (connection?.db.isTransaction ? use(({ db }) => db.exec('ROLLBACK')) : undefined),
    discard() {
      if (connection) connection.discardedBecause = 'rollback failed';
    },
  };
  try {
    return await runTransaction(session, deadline, work);
  } finally {
    if (connection) release(connection);
  }
}
