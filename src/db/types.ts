// What stores know of the database. Times are integer Unix milliseconds; ids, hashes and keys are binary.
import type { Logger } from 'pino';
import type { Deadline } from '../clock.ts';

export type SqlValue = string | number | Uint8Array | null;
export type Row = Record<string, SqlValue>;

/** One statement at a time, prepared once per connection. Rejects with DatabaseError or DependencyUnavailableError. */
export interface Statements {
  /** Runs a SELECT and returns its rows. */
  query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<R[]>;
  /** Runs a write and returns how many rows it changed (found rows, also where the values stayed as they were). */
  execute(sql: string, values?: readonly SqlValue[]): Promise<number>;
}

/** A row to insert. Those that differ in their values only share a statement. */
export interface Insertion {
  /** `table (column, column)`; the first column is one that refuses NULL. */
  readonly into: string;
  /** `VALUES (?, ?)`, or a SELECT of the row or of none: `SELECT ?, ? FROM … WHERE …`. The first `?` is the first column's. */
  readonly row: string;
  readonly values: readonly SqlValue[];
}

/** What a migration works with. */
export interface MigrationStatements extends Statements {
  readonly engine: 'sqlite' | 'mysql';
}

export interface Database extends Statements {
  readonly engine: 'sqlite' | 'mysql';
  /** Engine, host, port and database name for people; without credentials. */
  readonly address: string;
  /**
   * SQL condition with one `?`, true only before a deadline by the database's own clock. Every credential
   * write carries it, so that a database that was frozen does not run it after the caller was told no.
   */
  readonly beforeDeadline: string;
  /** What a SELECT in a transaction ends with, so that nobody changes its rows before the transaction ends. */
  readonly shareLock: string;
  /** The value for `beforeDeadline`, corrected for the difference of the two clocks. */
  deadlineValue(deadline: Deadline): number;
  /**
   * Inserts a row durably, sharing the commit with whatever else is written at the same moment. Rejects with
   * DependencyUnavailableError where the deadline has passed or the caller has gone before it was written, and then it never
   * is. A row that the engine refuses fails alone.
   */
  insert(insertion: Insertion, deadline: Deadline): Promise<void>;
  /**
   * Runs `work` in one transaction and commits it unless it throws or the deadline has passed (then it rolls
   * back and throws). Inside, only `tx` may be used and nothing but SQL awaited. It never retries by itself.
   */
  transaction<T>(deadline: Deadline, work: (tx: Statements) => Promise<T>): Promise<T>;
  /**
   * Runs `work` while no other process migrates this database; waits while one does. Statements can take as long as they
   * need. On SQLite all of it is one transaction; MySQL commits after each statement.
   */
  migrateExclusively<T>(log: Logger, work: (schema: MigrationStatements) => Promise<T>): Promise<T>;
  /** Answers within the timeout or rejects; for health and for waiting at start. */
  ping(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
