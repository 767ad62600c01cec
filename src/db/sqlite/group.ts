import { takeLive, type Member } from '../group-commit.ts';
import { DatabaseError, toSafeError } from '../errors.ts';
import type { SqlValue } from '../types.ts';
import { changeRows, type SqliteConnection } from './connection.ts';
import { unlessLocked, LOCKED } from './lock.ts';

/** A statement that changes rows. */
export interface SqliteWrite {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

type Outcome = { readonly changed: number } | { readonly error: Error };

/**
 * Carries writes out in one transaction and settles them once it is committed; LOCKED if another process has the file, and
 * nothing has happened. SQLite undoes a statement that it refuses by itself, so that one fails alone. If the file or the disk
 * fails, all of them do.
 */
export function commitTogether(
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
    // After a full disk and the like, SQLite may have rolled back by itself.
    if (connection.db.isTransaction) connection.db.exec('ROLLBACK');
  } catch {
    connection.discardedBecause = 'rollback failed';
  }
}
