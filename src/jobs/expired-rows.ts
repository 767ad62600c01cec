import type { Database } from '../db/types.ts';

/** Rows that expire; declared by the store that writes them. */
export interface CleanupTarget {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Indexed columns in Unix milliseconds; a row is expired when one of them has passed. NULL never passes. */
  readonly expiresAt: readonly string[];
  /** How long a row is kept after the time in its column, in milliseconds. Default: 0. */
  readonly keepMs?: number;
  /** Columns that must have passed as well, in Unix milliseconds. */
  readonly keptUntil?: readonly string[];
  /** Deletes a batch in place of one DELETE, where rows have something beside them; says how many it dealt with. */
  readonly remove?: (batch: Batch) => Promise<number>;
}

/** What is to be deleted at once. */
export interface Batch {
  /** Unix milliseconds: what has passed by then. */
  readonly now: number;
  /** Rows at most. */
  readonly size: number;
}

/** What waits to be deleted from one table. */
export interface Backlog {
  readonly table: string;
  /** Expired rows; counted up to 100,000. */
  readonly backlog: number;
  /** How long the oldest of them has been expired, in milliseconds; 0 where there is none. */
  readonly oldestMs: number;
}

const MAX_COUNTED = 100_000;

// In the order of one index, so that two batches never lock rows crosswise; the primary key settles ties.
const DELETE_BATCH: Record<
  Database['engine'],
  (table: string, condition: string, order: string, size: number) => string
> = {
  mysql: (table, condition, order, size) => `DELETE FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${size}`,
  // Most builds of SQLite have no LIMIT for DELETE.
  sqlite: (table, condition, order, size) =>
    `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${size})`,
};

/** Deletes at most `size` rows whose `column` has passed and returns how many there were. */
export async function deleteExpired(
  database: Database,
  target: CleanupTarget,
  column: string,
  { now, size }: Batch,
): Promise<number> {
  if (target.remove) return target.remove({ now, size });
  const order = [column, ...target.key].map(quoted).join(', ');
  const { condition, values } = passed(target, column, now);
  return database.execute(DELETE_BATCH[database.engine](target.table, condition, order, size), values);
}

/** How much of a target has expired and is still there. */
export async function backlogOf(database: Database, target: CleanupTarget, now: number): Promise<Backlog> {
  const { table, expiresAt, keepMs = 0 } = target;
  let backlog = 0;
  let oldestMs = 0;
  for (const column of expiresAt) {
    const { condition, values } = passed(target, column, now);
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

function passed({ keepMs = 0, keptUntil = [] }: CleanupTarget, column: string, now: number) {
  const columns = [column, ...keptUntil];
  const values = [now - keepMs, ...keptUntil.map(() => now)];
  return { condition: columns.map((name) => `${quoted(name)} <= ?`).join(' AND '), values };
}

function quoted(column: string): string {
  return `\`${column}\``;
}
