import type { Database } from '../db/types.ts';

/** A table whose rows expire. The store that writes the table declares it. */
export interface CleanupTarget {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Indexed columns in Unix milliseconds; a row is expired when one of them has passed. NULL never passes. */
  readonly expiresAt: readonly string[];
  /** How long a row is kept after its expiry, in milliseconds. Default: 0. */
  readonly keepMs?: number;
  /** Columns whose times must also have passed, in Unix milliseconds. */
  readonly keptUntil?: readonly string[];
  /**
   * Deletes a batch instead of one DELETE, if rows own other data such as files. Returns the number of processed rows.
   */
  readonly remove?: (batch: Batch) => Promise<number>;
}

/** The rows to delete in one step. */
export interface Batch {
  /** Unix milliseconds. Rows that expired before this time are deleted. */
  readonly now: number;
  /** Maximum number of rows. */
  readonly size: number;
}

/** The expired rows of a table that are not yet deleted. */
export interface Backlog {
  readonly table: string;
  /** Number of expired rows; counted up to 100,000. */
  readonly backlog: number;
  /** Time since the oldest of them expired, in milliseconds; 0 if there is none. */
  readonly oldestMs: number;
}

const MAX_COUNTED = 100_000;

// Deletes in the order of one index, so that two batches never deadlock. The primary key breaks ties.
const DELETE_BATCH: Record<
  Database['engine'],
  (table: string, condition: string, order: string, size: number) => string
> = {
  mysql: (table, condition, order, size) => `DELETE FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${size}`,
  // Most builds of SQLite do not support LIMIT in DELETE.
  sqlite: (table, condition, order, size) =>
    `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${size})`,
};

/** Deletes at most `size` rows whose time in `column` has expiredCondition. Returns their number. */
export async function deleteExpired(
  database: Database,
  target: CleanupTarget,
  column: string,
  { now, size }: Batch,
): Promise<number> {
  if (target.remove) return target.remove({ now, size });
  const order = [column, ...target.key].map(quoted).join(', ');
  const { condition, values } = expiredCondition(target, column, now);
  return database.execute(DELETE_BATCH[database.engine](target.table, condition, order, size), values);
}

/** Returns the backlog of a target. */
export async function backlogOf(database: Database, target: CleanupTarget, now: number): Promise<Backlog> {
  const { table, expiresAt, keepMs = 0 } = target;
  let backlog = 0;
  let oldestMs = 0;
  for (const column of expiresAt) {
    const { condition, values } = expiredCondition(target, column, now);
    const [row] = await database.query<{ expired: number; oldest: number | null }>(
      `SELECT COUNT(*) AS expired, MIN(expires) AS oldest FROM (
         SELECT ${quoted(column)} AS expires FROM ${table} WHERE ${condition}
          ORDER BY ${quoted(column)} LIMIT ${MAX_COUNTED}) AS expired_rows`,
      values,
    );
    backlog = Math.max(backlog, row!.expired);
    oldestMs = Math.max(oldestMs, now - keepMs - (row!.oldest ?? now - keepMs));
  }
  return { table, backlog, oldestMs };
}

function expiredCondition({ keepMs = 0, keptUntil = [] }: CleanupTarget, column: string, now: number) {
  const columns = [column, ...keptUntil];
  const values = [now - keepMs, ...keptUntil.map(() => now)];
  return { condition: columns.map((name) => `${quoted(name)} <= ?`).join(' AND '), values };
}

function quoted(column: string): string {
  return `\`${column}\``;
}
