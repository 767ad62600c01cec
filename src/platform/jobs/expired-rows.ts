import { acrossTenants } from '../db/query/tenant-scope.ts';
import type { Database } from '../db/types.ts';
import type { BackgroundDatabase } from './background.ts';

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
  readonly remove?: (batch: Batch, database: BackgroundDatabase) => Promise<number>;
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
  /** Number of expired rows, also of those that are kept until a further time; counted up to 100,000. */
  readonly backlog: number;
  /** Time since the oldest row expired that is not kept, in milliseconds; 0 if there is none. */
  readonly oldestMs: number;
}

const OF_ALL_TENANTS = acrossTenants('the cleanup serves all');
const MAX_COUNTED = 100_000;

interface DeletedBatch {
  readonly table: string;
  readonly condition: string;
  readonly column: string;
  readonly key: readonly string[];
  readonly size: number;
}

const DELETE_BATCH: Record<Database['engine'], (batch: DeletedBatch) => string> = {
  // In the order of one index, so that two batches never deadlock. The primary key breaks ties.
  mysql: ({ table, condition, column, key, size }) =>
    `DELETE FROM ${table} WHERE ${condition} ORDER BY ${[column, ...key].join(', ')} LIMIT ${size}`,
  // Most builds of SQLite do not support LIMIT in DELETE. The order is that of the index, which ends with the rowid. With the
  // primary key, SQLite would sort all rows that expired at the same time.
  sqlite: ({ table, condition, column, size }) =>
    `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} ORDER BY ${column} LIMIT ${size})`,
};

/** Deletes at most `size` rows whose time in `column` has passed. Returns their number. */
export async function deleteExpired(
  database: BackgroundDatabase,
  target: CleanupTarget,
  column: string,
  { now, size }: Batch,
): Promise<number> {
  if (target.remove) return target.remove({ now, size }, database);
  const { condition, values } = expiredCondition(target, column, now);
  const key = target.key.map(quoted);
  const sql = DELETE_BATCH[database.engine]({ table: target.table, condition, column: quoted(column), key, size });
  return database.execute(sql, values);
}

/**
 * Returns the backlog of a target. Counts in the index alone: with the columns of `keptUntil`, it would read 100,000 rows of a large
 * table, which takes longer than a statement may.
 */
export async function backlogOf(database: Database, target: CleanupTarget, now: number): Promise<Backlog> {
  const { table, expiresAt, keepMs = 0 } = target;
  let backlog = 0;
  let oldestMs = 0;
  for (const column of expiresAt) {
    const expired = expiredCondition({ keepMs }, column, now);
    const deletable = expiredCondition(target, column, now);
    const inOrder = (condition: string, limit: number) =>
      `SELECT ${quoted(column)} AS expires FROM ${table} WHERE ${condition} ORDER BY ${quoted(column)} LIMIT ${limit}`;
    const [row] = await database.query<{ expired: number; oldest: number | null }>(
      `SELECT (SELECT COUNT(*) FROM (${inOrder(expired.condition, MAX_COUNTED)}) AS expired_rows) AS expired,
         (${inOrder(deletable.condition, 1)}) AS oldest`,
      [...expired.values, ...deletable.values],
    );
    backlog = Math.max(backlog, row!.expired);
    oldestMs = Math.max(oldestMs, now - keepMs - (row!.oldest ?? now - keepMs));
  }
  return { table, backlog, oldestMs };
}

function expiredCondition(
  { keepMs = 0, keptUntil = [] }: Pick<CleanupTarget, 'keepMs' | 'keptUntil'>,
  column: string,
  now: number,
) {
  const columns = [column, ...keptUntil];
  const values = [now - keepMs, ...keptUntil.map(() => now)];
  const isExpired = columns.map((name) => `${quoted(name)} <= ?`);
  return { condition: [OF_ALL_TENANTS, ...isExpired].join(' AND '), values };
}

function quoted(column: string): string {
  return `\`${column}\``;
}
