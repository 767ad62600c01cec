// Calls that wait for a row which the test holds, so that another call comes between their reads and their writes. On a database server
// alone: SQLite has one lock for all rows.
import { expect } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/types.ts';

const WAITING = `SELECT COUNT(*) AS waiting FROM information_schema.innodb_trx t
  JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
  WHERE p.db = DATABASE() AND t.trx_state = 'LOCK WAIT'`;

/**
 * Begins a call while the rows of a SELECT are locked, and does something else when the call waits for them. Returns the result of the
 * call.
 *
 * @param select Without FOR UPDATE.
 */
export async function whileWaiting<T>(
  database: Database,
  select: string,
  begin: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  let call!: Promise<T>;
  await database.transaction(UNLIMITED, async (tx) => {
    expect((await tx.query(`${select} FOR UPDATE`)).length).toBeGreaterThan(0);
    call = begin();
    // Awaited after the transaction.
    call.catch(() => undefined);
    await expect.poll(async () => (await database.query<{ waiting: number }>(WAITING))[0]!.waiting).toBeGreaterThan(0);
    await meanwhile();
  });
  return call;
}
