import { DatabaseError, toSafeError } from '../errors.ts';
import { takeLive, type Member } from '../group-commit.ts';
import { refuseAfter } from '../transaction.ts';
import { changeRows, type SqliteConnection, type SqliteValues } from './connection.ts';
import { unlessLocked, LOCKED } from './lock.ts';

/** A statement that changes rows. */
export interface SqliteWrite {
  readonly sql: string;
  readonly values: SqliteValues;
}

type Outcome = { readonly changed: number } | { readonly error: Error };

/**
 * Runs writes with one commit and settles them after it. Returns LOCKED, without any change, if another process has
 * locked the file. SQLite undoes a refused statement by itself, so that only this write fails. If the file or the disk
 * fails, it throws, and no write has happened.
 */
export function commitGroup(
  connection: SqliteConnection,
  members: readonly Member<SqliteWrite>[],
): typeof LOCKED | undefined {
  // A single statement commits by itself, which costs less.
  return members.length === 1 ? commitAlone(connection, members[0]!) : commitTogether(connection, members);
}

function commitTogether(
  connection: SqliteConnection,
  members: readonly Member<SqliteWrite>[],
): typeof LOCKED | undefined {
  const { db } = connection;
  if (unlessLocked(() => db.exec('BEGIN IMMEDIATE')) === LOCKED) return LOCKED;
  try {
    const live = takeLive(members);
    const outcomes = live.map(({ write }) => outcomeOf(connection, write));
    db.exec('COMMIT');
    for (const [index, { resolve, reject }] of live.entries()) {
      const outcome = outcomes[index]!;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.changed);
    }
  } catch (error) {
    rollBack(connection);
    throw toSafeError(error);
  }
  return undefined;
}

function commitAlone(
  connection: SqliteConnection,
  { write, deadline, resolve }: Member<SqliteWrite>,
): typeof LOCKED | undefined {
  const changed = unlessLocked(() => {
    refuseAfter(deadline);
    return changeRows(connection, write.sql, write.values);
  });
  if (changed === LOCKED) return LOCKED;
  resolve(changed);
  return undefined;
}

function outcomeOf(connection: SqliteConnection, { sql, values }: SqliteWrite): Outcome {
  try {
    return { changed: changeRows(connection, sql, values) };
  } catch (thrown) {
    const error = toSafeError(thrown);
    if (error instanceof DatabaseError && connection.db.isTransaction) return { error };
    throw error;
  }
}

function rollBack(connection: SqliteConnection): void {
  try {
    // After errors such as a full disk, SQLite may have rolled back by itself.
    if (connection.db.isTransaction) connection.db.exec('ROLLBACK');
  } catch {
    connection.discardedBecause = 'rollback failed';
  }
}
