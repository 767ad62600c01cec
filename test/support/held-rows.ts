// Transactions that wait for rows which others hold. On a database server alone: SQLite has one lock for all rows.
import { expect } from 'vitest';
import type { Database } from '../../src/platform/db/types.ts';
import { eventually } from './eventually.ts';

/** Waits until some transaction waits for a row. INNODB_TRX would show an old state to those who read it often. */
export const untilWaiting = (database: Database): Promise<void> =>
  eventually(async () => {
    const [row] = await database.query<{ Value: string }>("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'");
    expect(Number(row!.Value)).toBeGreaterThan(0);
  });
