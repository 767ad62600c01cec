// Calls that wait for a row which the test holds, so that another call comes between their reads and their writes. On a database server
// alone: SQLite has one lock for all rows.
import { expect } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { eventually } from './eventually.ts';

/** Waits until some transaction waits for a row. Another way, INNODB_TRX, shows an old state to those who read it often. */
export const untilWaiting = (database: Database): Promise<void> =>
  eventually(async () => {
    const [row] = await database.query<{ Value: string }>("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'");
    expect(Number(row!.Value)).toBeGreaterThan(0);
  });

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
    await untilWaiting(database);
    await meanwhile();
  });
  return call;
}
