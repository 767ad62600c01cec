// Opens MySQL and MariaDB connections and sends all statements over them.
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Connection, ConnectionOptions, QueryResult, ResultSetHeader } from 'mysql2';
import { mustLeaveConnection, timedOut, toSafeError, unavailable } from '../errors.ts';
import {
  CONNECT_TIMEOUT_MS,
  LOCK_TIMEOUT_MS,
  OPERATION_TIMEOUT_MS,
  SERVER_STATEMENT_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from '../limits.ts';
import { ServerTime } from '../types.ts';
import type { ClockOffset } from './clock-offset.ts';
import type { ExecuteResult } from './execute-command.ts';
import { checkMajority, readNodeState } from './node-state.ts';
import {
  createPreparedStatements,
  MYSQL2_PREPARED_STATEMENTS,
  type PreparedStatements,
  type TransactionState,
} from './prepared-statements.ts';

/** A mysql2 connection with additional state. */
export interface MysqlConnection extends Connection, TransactionState {
  /** Cancels its statement on the server. Undefined if statements may take unlimited time. */
  endOnServer?: () => void;
  /** The socket, which mysql2's types leave out. */
  readonly stream: Duplex;
  /** Set once the connection must not be used again. */
  discardedBecause?: string;
  /** Rejects the statement that is running. mysql2 does not, if the connection is closed on this side. */
  abandon?: (() => void) | undefined;
  /** The clock of its server. Undefined if no statement compares times. */
  clock?: ClockOffset;
  /** Its prepared statements. */
  prepared: PreparedStatements;
  /** When the server last returned the result of a statement (performance.now()). */
  answeredAt?: number;
}

/** Rows or counts. */
type MysqlResult = QueryResult | ExecuteResult;

/** Cancels on the server the statement of the connection that holds the lock. */
export type EndOnServer = (lock: string) => void;

/**
 * Longest result of GROUP_CONCAT, which the server would truncate without an error: 20 images, each with a size (16 digits),
 * a media type (127 characters) and two separators, are 2,900 bytes.
 */
const GROUP_CONCAT_BYTES = 4_096;

/** Larger than any number of rows: no limit. */
const UNLIMITED_ROWS = '18446744073709551615';

// MySQL's conditional comments: /*M! runs on MariaDB only, /*!80000 on MySQL only.
/** Returns the assignments that lift the limits of a server on the rows and the time of a statement. Old servers accept them. */
export const limitsSql = (statementMs: number) => `SESSION sql_select_limit = ${UNLIMITED_ROWS},
  SESSION max_join_size = ${UNLIMITED_ROWS}, SESSION sql_big_selects = 1
  /*M!100100 , SESSION max_statement_time = ${statementMs / 1000} */
  /*!80000 , SESSION max_execution_time = ${statementMs} */`;

// Each variable on which a result depends: the server's configuration and its init_connect may have changed all of them.
const sessionSql = (lock: string, statementMs: number) => `SET NAMES utf8mb4 COLLATE utf8mb4_bin,
  SESSION autocommit = 1,
  SESSION completion_type = 'NO_CHAIN',
  SESSION foreign_key_checks = 1,
  SESSION unique_checks = 1,
  SESSION sql_safe_updates = 0,
  SESSION sql_auto_is_null = 0,
  SESSION max_sort_length = 1024,
  SESSION time_zone = '+00:00',
  SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO',
  SESSION innodb_lock_wait_timeout = ${LOCK_TIMEOUT_MS / 1000},
  SESSION lock_wait_timeout = ${LOCK_TIMEOUT_MS / 1000},
  SESSION group_concat_max_len = ${GROUP_CONCAT_BYTES},
  @connection_lock = GET_LOCK('${lock}', 0),
  ${limitsSql(statementMs)}
  /*M!100100 , SESSION tx_isolation = 'READ-COMMITTED', SESSION tx_read_only = 0 */
  /*!80000 , SESSION transaction_isolation = 'READ-COMMITTED', SESSION transaction_read_only = 0 */`;

interface OpenOptions {
  readonly connectMs?: number;
  /** Time limit of each statement that sets up the session. */
  readonly statementMs?: number;
  readonly endOnServer?: EndOnServer;
  /** Refuses a server that is read-only, not up to date, or without the majority of its cluster. */
  readonly mustBeWritable?: boolean;
}

/**
 * Opens a connection and sets up its session. With `endOnServer`, no statement runs longer than
 * SERVER_STATEMENT_TIMEOUT_MS on the server. The server's own limits (on MySQL, of SELECT only) also work if this
 * process has died. On a node of a cluster, reads see all earlier changes of all nodes. Rejects with a safe error.
 */
export async function openConnection(
  options: ConnectionOptions,
  { connectMs, statementMs = STATEMENT_TIMEOUT_MS, endOnServer, mustBeWritable = false }: OpenOptions = {},
): Promise<MysqlConnection> {
  const connection = await connect(options, connectMs);
  const lock = `connection:${randomUUID()}`;
  const run = (sql: string) => send(connection, 'query', sql, [], statementMs);
  try {
    await run(sessionSql(lock, endOnServer ? STATEMENT_TIMEOUT_MS : 0));
    const state = await readNodeState(run);
    if (mustBeWritable && state.problem !== undefined) throw unavailable(state.problem);
    if (state.causalReads !== undefined) await run(state.causalReads);
    connection.isOfCluster = state.causalReads !== undefined;
    if (mustBeWritable) await checkMajority(state, run);
    if (endOnServer) connection.endOnServer = () => endOnServer(lock);
    return connection;
  } catch (error) {
    discard(connection, 'not opened');
    throw toSafeError(error, 'connecting');
  }
}

/** Connects without setting up the session. Rejects with a safe error within the time limit. */
export async function connect(
  options: ConnectionOptions,
  timeoutMs: number = CONNECT_TIMEOUT_MS,
): Promise<MysqlConnection> {
  // Loaded here because deployments with SQLite do not need it.
  const { createConnection } = await import('mysql2');
  const connection = createConnection({
    ...options,
    connectTimeout: timeoutMs,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    dateStrings: true,
    decimalNumbers: true,
    maxPreparedStatements: MYSQL2_PREPARED_STATEMENTS,
    // They would change the packets of statements, and are not used.
    flags: ['-CLIENT_QUERY_ATTRIBUTES'],
  }) as MysqlConnection;
  connection.prepared = createPreparedStatements(connection);
  // An error event without a listener would end the process.
  connection.on('error', () => discard(connection, 'connection failed'));
  try {
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
    return connection;
  } catch (error) {
    discard(connection, 'not opened');
    throw toSafeError(error, 'connecting');
  }
}

/** Whether statements can still be sent over the connection. */
export function isUsable(connection: MysqlConnection): boolean {
  return connection.discardedBecause === undefined;
}

/** Closes the connection at once, without waiting for the server. */
export function discard(connection: MysqlConnection, reason: string): void {
  connection.discardedBecause = reason;
  connection.destroy();
  // destroy() only sends a quit command, which leaves the socket open while a frozen server does not respond.
  connection.stream.destroy();
  connection.abandon?.();
}

/**
 * Sends one statement, prepared (`execute`) or as text (`query`), and waits for its result. Rejects with DatabaseError or
 * DependencyUnavailableError; after a time-out or a failed connection the connection is discarded.
 */
export function send(
  connection: MysqlConnection,
  method: 'execute' | 'query',
  sql: string,
  values: readonly unknown[],
  timeoutMs: number,
): Promise<MysqlResult> {
  return new Promise((resolve, reject) => {
    let ended = false;
    const giveUp = () => {
      reject(timedOut(timeoutMs));
      discard(connection, 'statement timed out');
    };
    const serverMs = connection.endOnServer ? Math.min(SERVER_STATEMENT_TIMEOUT_MS, timeoutMs) : timeoutMs;
    const end = () => {
      ended = true;
      // The statement may end before the cancellation arrives. So the connection must not run a statement of another
      // caller.
      connection.discardedBecause ??= 'statement timed out';
      connection.endOnServer?.();
      if (serverMs === timeoutMs) giveUp();
      else timer = setTimeout(giveUp, timeoutMs - serverMs);
    };
    let timer = setTimeout(end, serverMs);
    connection.abandon = () => {
      connection.abandon = undefined;
      clearTimeout(timer);
      reject(unavailable(`connection failed (${connection.discardedBecause})`));
    };
    const finish = (error: Error | null, result?: MysqlResult) => {
      connection.abandon = undefined;
      clearTimeout(timer);
      if (!error) {
        connection.answeredAt = performance.now();
        resolve(result!);
        return;
      }
      if (mustLeaveConnection(error)) discard(connection, 'connection failed');
      reject(ended ? unavailable(`statement ended after ${serverMs} ms`) : toSafeError(error));
    };
    const bound = values.map((value) => bind(value, connection));
    if (method === 'query') connection.query(sql, bound, finish);
    else connection.prepared.execute(sql, bound, finish);
  });
}

function bind(value: unknown, { clock }: MysqlConnection): unknown {
  if (value instanceof ServerTime) return Math.floor(value.localMs + (clock?.ms ?? 0));
  // mysql2 treats bytes as binary only if they are a Buffer.
  return value instanceof Uint8Array && !Buffer.isBuffer(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.length)
    : value;
}

/**
 * Returns the time left for a statement whose wait for a connection began at `since` (performance.now()), in
 * milliseconds.
 */
export function remainingStatementMs(since: number): number {
  const remaining = OPERATION_TIMEOUT_MS - (performance.now() - since);
  return Math.max(1, Math.floor(Math.min(STATEMENT_TIMEOUT_MS, remaining)));
}

/** Returns the number of rows that a write changed. */
export function affectedRows(result: unknown): number {
  return (result as ResultSetHeader).affectedRows;
}
