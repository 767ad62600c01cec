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
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DependencyUnavailableError } from '../../errors.ts';
import { DatabaseError, isLocked, toSafeError, whyHopeless } from '../errors.ts';

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

/** The database and the files that SQLite keeps beside it. A new database would get the content of old ones. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Puts a database file in the place of another one, which is moved aside with the files beside it. The other one may be
 * damaged or missing. Throws an Error if another process has it open. Returns the new path of the first moved file.
 */
export function replaceSqlite(filename: string, replacement: string, aside: string): string | undefined {
  sync(replacement);
  const moved: string[] = [];
  const moveAside = () => {
    for (const suffix of SUFFIXES.filter((present) => existsSync(filename + present))) {
      renameSync(filename + suffix, aside + suffix);
      moved.push(aside + suffix);
    }
  };
  if (existsSync(filename)) lockUnlessDamaged(filename, moveAside);
  // Also the files beside a missing or damaged database.
  moveAside();
  sync(dirname(filename));
  renameSync(replacement, filename);
  sync(dirname(filename));
  return moved[0];
}

function lockUnlessDamaged(filename: string, work: () => void): void {
  try {
    // Leaving WAL mode needs that no other connection is open, and removes the files beside the database. The exclusive
    // transaction keeps others out during the work.
    use(filename, (db) => {
      const [mode] = db.prepare('PRAGMA journal_mode = DELETE').all() as { journal_mode: string }[];
      if (mode?.journal_mode !== 'delete') throw new Error(`${filename} is in use; stop the service first`);
      db.exec('BEGIN EXCLUSIVE');
      work();
      db.exec('ROLLBACK');
    });
  } catch (error) {
    // SQLite locks only files that it can read.
    if (whyHopeless(error) === undefined) throw error;
  }
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
