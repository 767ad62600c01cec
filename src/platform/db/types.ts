// The database as stores see it. Times are integer Unix milliseconds; ids, hashes and keys are binary.
import type { Logger } from 'pino';
import type { Deadline } from '../clock.ts';
import type { PoolState } from './pool.ts';

/**
 * A moment by this machine's clock. Each connection sends it as the same moment by the clock of its own server, because
 * the server may change between creating the value and sending it.
 */
export class ServerTime {
  /** Unix time in milliseconds. */
  readonly localMs: number;

  constructor(localMs: number) {
    this.localMs = localMs;
  }
}

export type StoredValue = string | number | Uint8Array | null;
/** A value of a statement. */
export type SqlValue = StoredValue | ServerTime;
export type Row = Record<string, StoredValue>;

/**
 * Runs one statement at a time, prepared once per connection. Rejects with DatabaseError or DependencyUnavailableError.
 */
export interface Statements {
  /** Runs a SELECT and returns its rows. */
  query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<R[]>;
  /** Runs a write and returns the number of matched rows, even if their values did not change. */
  execute(sql: string, values?: readonly SqlValue[]): Promise<number>;
}

/** The caller of a read that can take long. */
export interface Reader {
  readonly deadline: Deadline;
  /** Undefined for a caller without a tenant. */
  readonly tenantId: string | undefined;
}

/** A row to insert. Rows that differ only in their values share a statement. */
export interface Insertion {
  /** `table (column, column)`; the first column is one that refuses NULL. */
  readonly into: string;
  /** `VALUES (?, ?)`. The first `?` belongs to the first column. */
  readonly row: string;
  readonly values: readonly SqlValue[];
}

/** The statements available to a migration. */
export interface MigrationStatements extends Statements {
  readonly engine: 'sqlite' | 'mysql';
}

/** The number of long reads that run, and of those that wait. */
export interface LongReadState {
  readonly running: number;
  readonly queued: number;
}

export interface Database extends Statements {
  readonly engine: 'sqlite' | 'mysql';
  /** Engine, host, port and database name for messages; without credentials. */
  readonly address: string;
  /**
   * SQL condition with one `?`, true only before a deadline by the database's own clock. With it, a database that was
   * frozen does not run a write whose caller has already got an error.
   */
  readonly beforeDeadline: string;
  /** The end of a SELECT in a transaction that locks its rows against changes until the transaction ends. */
  readonly shareLock: string;
  /** Like `shareLock`, for rows that the transaction will change: two that hold the share lock of a row would wait for each other then. */
  readonly exclusiveLock: string;
  /**
   * Runs a SELECT that can take long. Few run at once, and tenants take turns. On SQLite it does not block the event
   * loop. Rejects with DependencyUnavailableError if the time limit of a statement or the reader's deadline has passed.
   */
  queryLong<R = Row>(sql: string, values: readonly SqlValue[], reader: Reader): Promise<R[]>;
  /**
   * Returns a condition for the table with this alias. It is always true. With it, a long SELECT on SQLite ends as soon
   * as its reader no longer waits; only `queryLong` can run it.
   */
  whileWanted(alias: string): string;
  /** Returns the value for `beforeDeadline`, corrected for the difference of the two clocks when it is sent. */
  deadlineValue(deadline: Deadline): SqlValue;
  /**
   * Inserts a row durably, sharing the commit with concurrent writes. Rejects with DependencyUnavailableError if the
   * deadline has passed or the caller has disconnected before the write; the row is then never written. A row that the
   * engine refuses fails alone.
   */
  insert(insertion: Insertion, deadline: Deadline): Promise<void>;
  /**
   * Runs `work` in one transaction and commits it. If `work` throws or the deadline has passed, it rolls back and
   * throws. Inside, use only `tx` and await only SQL. It never retries by itself.
   */
  transaction<T>(deadline: Deadline, work: (tx: Statements) => Promise<T>): Promise<T>;
  /**
   * Runs `work` after waiting until no other process migrates this database. Statements have no time limit. On SQLite
   * everything is one transaction; MySQL commits after each statement.
   */
  migrateExclusively<T>(log: Logger, work: (schema: MigrationStatements) => Promise<T>): Promise<T>;
  /** Resolves within the timeout or rejects; for health checks and for waiting at the start. */
  ping(timeoutMs: number): Promise<void>;
  /** The connections at this moment. */
  poolState(): PoolState;
  /** The statements of `queryLong` at this moment. */
  readonly longReads: LongReadState;
  close(): Promise<void>;
}
