// One SQLite connection: how it is opened, and its prepared statements.
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { toSafeError } from './errors.ts';
import { LOCK_TIMEOUT_MS, MAX_PREPARED_STATEMENTS } from './limits.ts';
import type { SqlValue } from './types.ts';

export interface SqliteConnection {
  readonly db: DatabaseSync;
  /** The statement of this text, prepared once. */
  prepare(sql: string): StatementSync;
  /** Set by knex when the connection must not be used again. */
  __knex__disposed?: unknown;
  __knexUid?: string;
}

// WAL with FULL: an acknowledged commit survives a power cut. The lock time-out comes first, it covers the other two.
const SESSION = `PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS};
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON`;

/** Opens the file, making it readable for its owner only where it is new. Throws a safe error. */
export function openConnection(filename: string): SqliteConnection {
  try {
    if (filename !== ':memory:') closeSync(openSync(filename, 'a', 0o600));
    const db = new DatabaseSync(filename);
    db.exec(SESSION);
    return { db, prepare: statementCache(db), __knexUid: 'sqlite1' };
  } catch (error) {
    throw toSafeError(error, 'connecting');
  }
}

/** Runs work on the connection, turning what SQLite throws into safe errors. */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toSafeError(error);
  }
}

/** The rows of a SELECT. */
export function readRows(connection: SqliteConnection, sql: string, values: readonly SqlValue[]): unknown[] {
  return guarded(() => connection.prepare(sql).all(...values));
}

/** Runs a write and returns how many rows it changed. */
export function changeRows(connection: SqliteConnection, sql: string, values: readonly SqlValue[]): number {
  return guarded(() => Number(connection.prepare(sql).run(...values).changes));
}

function statementCache(db: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = db.prepare(sql);
      const [oldest] = statements.keys();
      if (oldest !== undefined && statements.size >= MAX_PREPARED_STATEMENTS) statements.delete(oldest);
      statements.set(sql, statement);
    }
    return statement;
  };
}
