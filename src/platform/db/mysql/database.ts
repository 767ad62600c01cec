// MySQL and MariaDB: connections, requirements of the server, clock, limits of time.
import type { Logger } from 'pino';
import type { Deadline } from '../../clock.ts';
import type { Tracer } from '../../tracing/tracer.ts';
import { DatabaseError, isOutcomeUnknown, unavailable, withUnknownOutcome, within } from '../errors.ts';
import { ACQUIRE_TIMEOUT_MS, GUARD_MS, SERVER_STATEMENT_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../limits.ts';
import { createLongReads } from '../long-reads.ts';
import { type Pool, createPool } from '../pool.ts';
import { type TransactionSession, runTransaction } from '../transaction.ts';
import { type Database, type MigrationStatements, type SqlValue, ServerTime } from '../types.ts';
import { checkServerValues, checkValues } from '../values.ts';
import {
  type MysqlConnection,
  affectedRows,
  discard,
  isUsable,
  openConnection,
  remainingStatementMs,
  send,
} from './connection.ts';
import { createInsertionGroups } from './group.ts';
import { createHosts } from './hosts.ts';
import { createServer } from './server.ts';
import type { HostTarget, MysqlTarget } from './target.ts';

const NONE: readonly SqlValue[] = [];

/** Long reads use at most one connection of so many. */
const LONG_READS_SHARE = 4;

// SYSDATE() is the time at which the condition is evaluated; NOW() would be the statement's start. A statement that
// reaches a frozen server or waits for a lock is so checked at the time it continues.
const BEFORE_DEADLINE = '? > UNIX_TIMESTAMP(SYSDATE(3)) * 1000';

// A frozen server would run a plain COMMIT when it continues. Turning autocommit on also commits the open transaction.
// If the deadline has passed, the value is invalid for autocommit, so it fails and the transaction stays open.
const BEGIN = 'SET SESSION autocommit = 0';
const GUARDED_COMMIT = `SET SESSION autocommit = IF(${BEFORE_DEADLINE}, 'ON', 'deadline passed')`;
const END_AFTER_ROLLBACK = 'SET SESSION autocommit = 1';

/** Creates a Database for MySQL 8+ or MariaDB 10.6+. Connects on demand. */
export function createMysqlDatabase(target: MysqlTarget, poolSize: number, log: Logger, tracer?: Tracer): Database {
  const servers = target.hosts.map((host) => createServer(host, target.hosts.length > 1, log));
  const idle = { take: () => pool.tryAcquire(), giveBack: (connection: MysqlConnection) => pool.release(connection) };
  const hosts = createHosts(servers, idle, log);
  const pool: Pool<MysqlConnection> = createPool({
    max: poolSize,
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    create: hosts.open,
    isUsable: hosts.isUsable,
    destroy: hosts.close,
  });

  /** Returns an idle connection if there is one, without waiting. */
  function tryAcquire(): MysqlConnection | undefined {
    hosts.checkIfDue();
    return hosts.pendingCheck ? undefined : pool.tryAcquire();
  }

  async function acquire(): Promise<MysqlConnection> {
    await hosts.pendingCheck;
    return pool.acquire();
  }

  function release(connection: MysqlConnection): void {
    if (!isUsable(connection)) hosts.reportFailure(connection);
    pool.release(connection);
    if (hosts.active.clock.isStale()) refreshClock();
  }

  /** Runs one prepared statement on any connection. */
  async function run<Result>(sql: string, values: readonly SqlValue[], since?: number): Promise<Result> {
    checkServerValues(values);
    let timeoutMs = since === undefined ? STATEMENT_TIMEOUT_MS : remainingStatementMs(since);
    let connection = tryAcquire();
    if (!connection) {
      const waitedSince = since ?? performance.now();
      connection = await acquire();
      timeoutMs = remainingStatementMs(waitedSince);
    }
    try {
      return (await send(connection, 'execute', sql, values, timeoutMs)) as Result;
    } catch (error) {
      throw withUnknownOutcome(error);
    } finally {
      release(connection);
    }
  }

  /** Runs a SELECT. If its connection fails early, runs it once more on another one. */
  async function read<R>(sql: string, values: readonly SqlValue[]): Promise<R[]> {
    const since = performance.now();
    try {
      return await run<R[]>(sql, values);
    } catch (error) {
      if (!isOutcomeUnknown(error) || performance.now() - since > SERVER_STATEMENT_TIMEOUT_MS) throw error;
      return run<R[]>(sql, values, since);
    }
  }

  /** Runs in the background. A failure shows in the next statement anyway. */
  function refreshClock(): void {
    const connection = pool.tryAcquire();
    if (!connection) return;
    hosts.active
      .measure(connection, STATEMENT_TIMEOUT_MS)
      .catch((error: unknown) => log.debug({ err: error }, 'the clock of the database could not be read'))
      .finally(() => pool.release(connection));
  }

  async function readClock(timeoutMs: number): Promise<void> {
    const connection = await acquire();
    await hosts.active.measure(connection, timeoutMs).finally(() => release(connection));
  }

  // A caller may have more time than a statement gets. A write whose caller has stopped waiting must not happen later.
  const deadlineValue = ({ at }: Pick<Deadline, 'at'>) => new ServerTime(Math.min(at, Date.now() + GUARD_MS));
  const hasPassed = ({ localMs }: ServerTime) => localMs <= Date.now();
  const groups = createInsertionGroups({ guard: BEFORE_DEADLINE, deadlineValue, hasPassed, run, tracer });

  function sessionOf(connection: MysqlConnection): TransactionSession {
    const statement = async (method: 'execute' | 'query', sql: string, values: readonly SqlValue[] = NONE) => {
      checkServerValues(values);
      return send(connection, method, sql, values, STATEMENT_TIMEOUT_MS);
    };
    return {
      query: async <R>(sql: string, values?: readonly SqlValue[]) =>
        (await statement('execute', sql, values)) as unknown as R[],
      execute: async (sql, values) => affectedRows(await statement('execute', sql, values)),
      async begin() {
        await statement('query', BEGIN);
        connection.isInTransaction = true;
      },
      async commit(deadline) {
        const limit = deadlineValue(deadline);
        connection.isInTransaction = false;
        await statement('query', GUARDED_COMMIT, [limit]).catch((error: unknown) => {
          const isLate = error instanceof DatabaseError && hasPassed(limit);
          throw isLate ? unavailable('the deadline of the call has passed') : withUnknownOutcome(error);
        });
      },
      async rollback() {
        connection.isInTransaction = false;
        await statement('query', 'ROLLBACK');
        await statement('query', END_AFTER_ROLLBACK);
      },
      discard: () => discard(connection, 'rollback failed'),
    };
  }

  // The other connections stay free for short statements.
  const longReads = createLongReads(Math.ceil(poolSize / LONG_READS_SHARE));

  return {
    engine: 'mysql',
    address: target.address,
    async migrateExclusively(logger, work) {
      pool.release(await pool.acquire());
      return migrateMysqlExclusively(hosts.active.target, logger, work);
    },
    beforeDeadline: BEFORE_DEADLINE,
    deadlineValue,
    // MariaDB does not support MySQL's FOR SHARE.
    shareLock: 'LOCK IN SHARE MODE',
    exclusiveLock: 'FOR UPDATE',
    query: (sql, values = NONE) => read(sql, values),
    queryLong: (sql, values, reader) => longReads.run(reader, () => read(sql, values)),
    whileWanted: () => 'TRUE',
    execute: async (sql, values = NONE) => affectedRows(await run(sql, values)),
    async insert(insertion, deadline) {
      checkServerValues(insertion.values);
      await groups.run(insertion, deadline);
    },
    async transaction(deadline, work) {
      const connection = tryAcquire() ?? (await acquire());
      try {
        return await runTransaction(sessionOf(connection), deadline, work);
      } finally {
        release(connection);
      }
    },
    ping: (timeoutMs) => within(timeoutMs, readClock(timeoutMs)),
    poolState: pool.state,
    longReads: longReads.state,
    close: () =>
      groups
        .barrier()
        .then(pool.close)
        .finally(() => servers.forEach((server) => server.close())),
  };
}

// The server releases this lock with its holder's connection, so a killed process leaves no lock.
const TAKE_LOCK = "SELECT GET_LOCK(CONCAT('migrate:', SHA2(DATABASE(), 224)), 1) AS taken";
/** No time limit: migrations may rebuild large tables. */
const MIGRATION_STATEMENT_TIMEOUT_MS = 24 * 3_600_000;

/** Implements Database.migrateExclusively. The lock and the statements have separate connections. */
async function migrateMysqlExclusively<T>(
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
    return send(connection, 'query', sql, values, MIGRATION_STATEMENT_TIMEOUT_MS);
  };
  return {
    engine: 'mysql',
    query: async <R>(sql: string, values?: readonly SqlValue[]) => (await run(sql, values)) as unknown as R[],
    execute: async (sql, values) => affectedRows(await run(sql, values)),
  };
}

async function takeLock(connection: MysqlConnection, log: Logger): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const rows = await send(connection, 'query', TAKE_LOCK, [], STATEMENT_TIMEOUT_MS);
    if ((rows as { taken: number }[])[0]?.taken === 1) return;
    if (attempt % 5 === 0) log.info('waiting for another process to finish its migrations');
  }
}
