// Transactions that wait for rows which others hold. On a database server alone: SQLite has one lock for all rows.
import { expect } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { eventually } from './eventually.ts';

/** Waits until so many transactions wait for a row. INNODB_TRX would show an old state to those who read it often. */
export const untilWaiting = (database: Database, transactions = 1): Promise<void> =>
  eventually(async () => {
    const [row] = await database.query<{ Value: string }>("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'");
    expect(Number(row!.Value)).toBeGreaterThanOrEqual(transactions);
  });

/**
 * Runs the first part of a transaction, begins another one, and runs the rest when the other one waits. SQLite has one writer, so the
 * other one has not begun then.
 */
export async function interleave(
  database: Database,
  [first, rest]: readonly [(tx: Statements) => Promise<unknown>, (tx: Statements) => Promise<unknown>],
  other: (tx: Statements) => Promise<unknown>,
): Promise<void> {
  let second: Promise<unknown> = Promise.resolve();
  await database.transaction(UNLIMITED, async (tx) => {
    await first(tx);
    second = database.transaction(UNLIMITED, other);
    second.catch(() => undefined);
    if (database.engine === 'mysql') await untilWaiting(database);
    await rest(tx);
  });
  await second;
}
