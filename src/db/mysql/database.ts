// MySQL and MariaDB: connections, requirements of the server, clock, limits of time.
// Imported by src/db.
import type { Logger } from 'pino';
import type { Deadline } from '../../clock.ts';
import { createClockOffset } from './clock-offset.ts';
import { unavailable } from '../errors.ts';
import { ACQUIRE_TIMEOUT_MS, GUARD_MS, STATEMENT_TIMEOUT_MS } from '../limits.ts';
import {
  affectedRows,
  discard,
  isUsable,
  openConnection,
  remainingStatementMs,
  send,
  type MysqlConnection,
} from './connection.ts';
import { createInsertionGroups } from './group.ts';
import { createStatementEnder } from './end-on-server.ts';
import { migrateMysqlExclusively } from './migration-lock.ts';
import { checkServer } from './server-check.ts';
import type { MysqlTarget } from './target.ts';
import { createPool } from '../pool.ts';
import { runTransaction, type TransactionSession } from '../transaction.ts';
import type { Database, SqlValue } from '../types.ts';
import { checkValues } from '../values.ts';
import { within } from '../within.ts';

const NONE: readonly SqlValue[] = [];

// SYSDATE() is the time at which the condition is evaluated; NOW() would be the statement's start. A statement that
// reaches a frozen server or waits for a lock is so checked at the time it continues.
const BEFORE_DEADLINE = '? > UNIX_TIMESTAMP(SYSDATE(3)) * 1000';
const READ_CLOCK = 'SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now';

// A frozen server would run a plain COMMIT when it continues. Turning autocommit on also commits the open transaction.
// If the deadline has passed, the value is invalid for autocommit, so it fails and the transaction stays open.
const BEGIN = 'SET SESSION autocommit = 0';
const GUARDED_COMMIT = `SET SESSION autocommit = IF(${BEFORE_DEADLINE}, 'ON', 'deadline passed')`;
const END_AFTER_ROLLBACK = 'SET SESSION autocommit = 1';

/** Creates a Database for MySQL 8+ or MariaDB 10.6+. Connects on demand. */
export function createMysqlDatabase(target: MysqlTarget, poolSize: number, log: Logger): Database {
  const offset = createClockOffset();
  const measure = (connection: MysqlConnection, timeoutMs: number) =>
    offset.measure(async () => {
      const [rows] = await send(connection, 'query', READ_CLOCK, [], timeoutMs);
      return (rows as { now: number }[])[0]!.now;
    });

  const ender = createStatementEnder(target, log);
  let suitable = false;
  const pool = createPool<MysqlConnection>({
    max: poolSize,
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    async create() {
      if (!suitable) await checkServer(target, log);
      suitable = true;
      const connection = await openConnection(target.connection, ender.endOnServer);
      if (offset.isStale()) await measure(connection, STATEMENT_TIMEOUT_MS);
      return connection;
    },
    isUsable,
    destroy: (connection) => discard(connection, 'closed'),
  });

  /** Runs one prepared statement on any connection. */
  async function run<Result>(sql: string, values: readonly SqlValue[]): Promise<Result> {
    checkValues(values);
    let timeoutMs = STATEMENT_TIMEOUT_MS;
    let connection = pool.tryAcquire();
    if (!connection) {
      const since = performance.now();
      connection = await pool.acquire();
      timeoutMs = remainingStatementMs(since);
    }
    try {
      const [result] = await send(connection, 'execute', sql, values, timeoutMs);
      return result as Result;
    } finally {
      pool.release(connection);
      if (offset.isStale()) refreshOffset();
    }
  }

  /** Runs in the background. A failure shows in the next statement anyway. */
  function refreshOffset(): void {
    const connection = pool.tryAcquire();
    if (!connection) return;
    measure(connection, STATEMENT_TIMEOUT_MS)
      .catch((error: unknown) => log.debug({ err: error }, 'the clock of the database could not be read'))
      .finally(() => pool.release(connection));
  }

  async function readClock(timeoutMs: number): Promise<void> {
    const connection = await pool.acquire();
    await measure(connection, timeoutMs).finally(() => pool.release(connection));
  }

  // A caller may have more time than a statement gets. A write whose caller has stopped waiting must not happen later.
  const deadlineValue = ({ at }: Pick<Deadline, 'at'>) => Math.floor(Math.min(at, Date.now() + GUARD_MS) + offset.ms);

  const groups = createInsertionGroups({
    guard: BEFORE_DEADLINE,
    deadlineValue,
    hasPassed: (limit) => limit <= Date.now() + offset.ms,
    run,
  });

  function sessionOf(connection: MysqlConnection): TransactionSession {
    const statement = async (method: 'execute' | 'query', sql: string, values: readonly SqlValue[] = NONE) => {
      checkValues(values);
      return (await send(connection, method, sql, values, STATEMENT_TIMEOUT_MS))[0];
    };
    return {
      query: async <R>(sql: string, values?: readonly SqlValue[]) =>
        (await statement('execute', sql, values)) as unknown as R[],
      execute: async (sql, values) => affectedRows(await statement('execute', sql, values)),
      begin: async () => void (await statement('query', BEGIN)),
      commit: async (deadline) => {
        const limit = deadlineValue(deadline);
        await statement('query', GUARDED_COMMIT, [limit]).catch((error: unknown) => {
          throw limit <= Date.now() + offset.ms ? unavailable('the deadline of the call has passed') : error;
        });
      },
      async rollback() {
        await statement('query', 'ROLLBACK');
        await statement('query', END_AFTER_ROLLBACK);
      },
      discard: () => discard(connection, 'rollback failed'),
    };
  }

  return {
    engine: 'mysql',
    address: target.address,
    migrateExclusively: (logger, work) => migrateMysqlExclusively(target, logger, work),
    beforeDeadline: BEFORE_DEADLINE,
    deadlineValue,
    // MariaDB does not support MySQL's FOR SHARE.
    shareLock: 'LOCK IN SHARE MODE',
    query: (sql, values = NONE) => run(sql, values),
    execute: async (sql, values = NONE) => affectedRows(await run(sql, values)),
    async insert(insertion, deadline) {
      checkValues(insertion.values);
      await groups.run(insertion, deadline);
    },
    async transaction(deadline, work) {
      const connection = await pool.acquire();
      try {
        return await runTransaction(sessionOf(connection), deadline, work);
      } finally {
        pool.release(connection);
      }
    },
    ping: (timeoutMs) => within(timeoutMs, readClock(timeoutMs)),
    close: () => groups.barrier().then(pool.close).finally(ender.close),
  };
}
