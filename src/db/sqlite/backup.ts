// Copies of a SQLite file: taken while the service runs, checked, and put in its place.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { dirname } from 'node:path';
import { DependencyUnavailableError } from '../../errors.ts';
import { DatabaseError, isLocked, toSafeError } from '../errors.ts';

/** How long a copy or a check may wait for a lock of another process. */
const BUSY_TIMEOUT_MS = 5_000;

/** Copies a database to a new file in one read transaction. Writers of other processes continue meanwhile. */
export function copySqlite(filename: string, target: string): void {
  // Created first, so that no other user can read it. VACUUM INTO accepts an empty file.
  closeSync(openSync(target, 'wx', 0o600));
  use(filename, (db) => db.prepare('VACUUM INTO ?').run(target));
  sync(target);
}

/** Copies a backup, with mode 0600. */
export function copyBackup(backup: string, target: string): void {
  copyFileSync(backup, target);
  chmodSync(target, 0o600);
}

/** Throws an Error if a file is not an undamaged database of this service. */
export function checkSqlite(filename: string): void {
  // Opening a database would create a missing file.
  accessSync(filename, constants.R_OK);
  if (!isUndamaged(filename)) throw new Error(`${filename} is damaged, or no SQLite database`);
  const sql = "SELECT 1 FROM sqlite_master WHERE name = 'knex_migrations'";
  if (use(filename, (db) => db.prepare(sql).all()).length === 0)
    throw new Error(`${filename} is not a database of this service`);
}

function isUndamaged(filename: string): boolean {
  try {
    const [row] = use(filename, (db) => db.prepare('PRAGMA quick_check(1)').all());
    return row?.['quick_check'] === 'ok';
  } catch (error) {
    if (error instanceof DatabaseError || error instanceof DependencyUnavailableError) return false;
    throw error;
  }
}

/**
 * Puts a database file in the place of another one, which is moved aside. Throws an Error if another process has the
 * old file open.
 */
export function replaceSqlite(filename: string, replacement: string, aside: string): void {
  sync(replacement);
  if (existsSync(filename)) {
    // Leaving WAL mode needs that no other connection is open, and removes the files beside the database. The exclusive
    // transaction keeps others out until the file is moved.
    use(filename, (db) => {
      const [mode] = db.prepare('PRAGMA journal_mode = DELETE').all() as { journal_mode: string }[];
      if (mode?.journal_mode !== 'delete') throw new Error(`${filename} is in use; stop the service first`);
      db.exec('BEGIN EXCLUSIVE');
      renameSync(filename, aside);
      db.exec('ROLLBACK');
    });
  }
  renameSync(replacement, filename);
  sync(dirname(filename));
}

function use<T>(filename: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(filename, { timeout: BUSY_TIMEOUT_MS });
  try {
    return work(db);
  } catch (error) {
    if (isLocked(error)) throw new Error(`${filename} is in use; stop the service first`, { cause: error });
    throw 'errcode' in (error as Error) ? toSafeError(error) : error;
  } finally {
    db.close();
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
