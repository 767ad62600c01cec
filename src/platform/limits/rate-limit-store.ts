// The rate_limits table. rate-limiter-flexible has database stores, but they bypass our connection limits, deadlines
// and error mapping. This file needs only one statement instead.
import type { Deadline } from '../clock.ts';
import { DatabaseError } from '../db/errors.ts';
import type { Database } from '../db/types.ts';
import type { CleanupTarget } from '../jobs/cleanup.ts';

export const RATE_LIMITS_CLEANUP: CleanupTarget = { table: 'rate_limits', key: ['key'], expiresAt: ['expire'] };

interface Consumption {
  readonly key: string;
  readonly points: number;
  readonly windowMs: number;
  /** The time of the event. */
  readonly now: number;
  readonly deadline: Deadline;
}

/** Returns the wait in milliseconds if the limit is used up, else undefined. Counts nothing. */
export async function checkInDatabase(
  database: Database,
  { key, points, now }: Pick<Consumption, 'key' | 'points' | 'now'>,
): Promise<number | undefined> {
  const [row] = await database.query<{ points: number; expire: number }>(
    `SELECT points, expire FROM rate_limits WHERE ${KEY} = ?`,
    [Buffer.from(key)],
  );
  return row !== undefined && row.expire > now && row.points >= points ? row.expire - now : undefined;
}

/** Counts one event across all processes. Returns the wait in milliseconds if it is over the limit, else undefined. */
export async function consumeInDatabase(database: Database, consumption: Consumption): Promise<number | undefined> {
  const { points, windowMs, now, deadline } = consumption;
  const key = Buffer.from(consumption.key);
  const before = database.beforeDeadline;
  const limit = database.deadlineValue(deadline);

  // The UPDATE itself admits an event: at most `points` updates succeed per window, even with concurrent callers.
  const admit = () =>
    database.execute(
      `UPDATE rate_limits SET points = CASE WHEN expire <= ? THEN 1 ELSE points + 1 END,
              expire = CASE WHEN expire <= ? THEN ? ELSE expire END
        WHERE ${KEY} = ? AND (expire <= ? OR points < ?) AND ${before}`,
      [now, now, now + windowMs, key, now, points, limit],
    );
  if ((await admit()) > 0) return undefined;
  if (await begin()) return undefined;
  if ((await admit()) > 0) return undefined;
  const [row] = await database.query<{ expire: number }>(`SELECT expire FROM rate_limits WHERE ${KEY} = ?`, [key]);
  return Math.max(1, (row?.expire ?? now) - now);

  async function begin(): Promise<boolean> {
    try {
      const inserted = await database.execute(
        `INSERT INTO rate_limits (${KEY}, points, expire) SELECT ?, 1, ? FROM (SELECT 1 AS one) AS once WHERE ${before}`,
        [key, now + windowMs, limit],
      );
      return inserted > 0;
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
      throw error;
    }
  }
}

/**
 * Counts one event, also beyond the limit. Returns the wait in milliseconds if it is over the limit, else undefined. The same
 * statements run, and one row changes, for a new key, a known one and one that is over its limit.
 */
export async function consumeUniformly(
  database: Database,
  { key: text, points, windowMs, now, deadline }: Consumption,
): Promise<number | undefined> {
  const key = Buffer.from(text);
  // Until the transaction ends, no other event of the key is counted.
  const counted = await database.transaction(deadline, async (tx) => {
    await tx.execute(
      `INSERT INTO rate_limits (${KEY}, points, expire) VALUES (?, 1, ?) ${IF_PRESENT[database.engine]}
        points = CASE WHEN expire <= ? THEN 1 ELSE points + 1 END, expire = CASE WHEN expire <= ? THEN ? ELSE expire END`,
      [key, now + windowMs, now, now, now + windowMs],
    );
    const [row] = await tx.query<{ points: number; expire: number }>(
      `SELECT points, expire FROM rate_limits WHERE ${KEY} = ?`,
      [key],
    );
    return row!;
  });
  return counted.points <= points ? undefined : Math.max(1, counted.expire - now);
}

/** Takes an event back that was counted. Changes nothing if a later window has begun, which ends later than the event's can. */
export async function giveBackInDatabase(
  database: Database,
  { key, windowMs, now }: Pick<Consumption, 'key' | 'windowMs' | 'now'>,
): Promise<void> {
  await database.execute(`UPDATE rate_limits SET points = points - 1 WHERE ${KEY} = ? AND points > 0 AND expire <= ?`, [
    Buffer.from(key),
    now + windowMs,
  ]);
}

const IF_PRESENT: Readonly<Record<Database['engine'], string>> = {
  sqlite: `ON CONFLICT (\`key\`) DO UPDATE SET`,
  mysql: 'ON DUPLICATE KEY UPDATE',
};

// A reserved word, quoted in a way that both engines accept.
const KEY = '`key`';
