// Opens SQLite connections and caches their prepared statements.
import { accessSync, closeSync, constants, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hopeless, toSafeError } from '../errors.ts';
import type { Row, StoredValue } from '../types.ts';
import { unlessLocked, type LOCKED } from './lock.ts';
import { statementCache, type PreparedStatement } from './statement-cache.ts';

/** Without ServerTime: the file has the clock of this machine. */
export type SqliteValues = readonly StoredValue[];

export interface SqliteConnection {
  readonly db: DatabaseSync;
  /** Returns the statement of this text, prepared once. */
  prepare(sql: string): PreparedStatement;
  /** Set once the connection must not be used again. */
  discardedBecause?: string;
}

/** Pages of the log at which SQLite copies it during a commit: more than checkpoints.ts leaves, unless its thread has failed. */
const MAX_LOG_PAGES = 8_000;

// WAL with FULL: an acknowledged commit survives a power failure. No busy_timeout: node:sqlite sets it to 0, and
// waiting happens outside of SQLite so that the event loop is not blocked.
const SESSION = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
  PRAGMA wal_autocheckpoint = ${MAX_LOG_PAGES}`;

/** Opens the file. A new file is readable only by its owner. Throws a safe error. */
export function openConnection(filename: string): SqliteConnection | typeof LOCKED {
  return unlessLocked(() => {
    if (filename !== ':memory:') makeFile(filename);
    const db = new DatabaseSync(filename);
    try {
      db.exec(SESSION);
    } catch (error) {
      db.close();
      throw error;
    }
    return { db, prepare: statementCache(db) };
  }, 'connecting');
}

/** Runs work on the connection. Converts SQLite's errors to safe errors. */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toSafeError(error);
  }
}

/** Returns the rows of a SELECT. Throws SQLite's own errors. */
export function readRows(connection: SqliteConnection, sql: string, values: SqliteValues): Row[] {
  return connection.prepare(sql).rows(values);
}

/** Runs a write and returns the number of changed rows. Throws SQLite's own errors. */
export function changeRows(connection: SqliteConnection, sql: string, values: SqliteValues): number {
  return connection.prepare(sql).change(values);
}

/** Files that SQLite keeps beside the database. A start as another user can leave them unreadable. */
const BESIDE = ['', '-wal', '-shm'];
/** System errors that do not end by themselves. ENOENT: a link to a file in a missing folder. */
const LASTING = new Set(['ENOENT', 'EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);
const REMEDY = 'let the user of the service read and write it, or give another app.database.url';

// An existing file is not opened here. Closing it would release the locks that this process holds on it
// (https://sqlite.org/howtocorrupt.html, section 2.2).
function makeFile(filename: string): void {
  try {
    if (!existsSync(filename)) return closeSync(openSync(filename, 'a', 0o600));
    if (!statSync(filename).isFile()) throw hopeless('it is not a file; give another app.database.url');
    const target = realpathSync(filename);
    // SQLite creates its other files there.
    accessSync(dirname(target), constants.W_OK | constants.X_OK);
    for (const file of BESIDE.map((suffix) => target + suffix).filter(existsSync))
      accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    const { code = '', path } = error as NodeJS.ErrnoException;
    if (LASTING.has(code)) throw hopeless(`${path} cannot be opened (${code}); ${REMEDY}`);
    throw error;
  }
}
