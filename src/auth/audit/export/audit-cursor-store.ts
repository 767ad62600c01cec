// The audit_cursors table: how far jobs have processed the sealed audit records.
import type { Statements } from '../../../platform/db/types.ts';

/** Returns the sequence of the last record that a job has processed; undefined if it has processed none. */
export async function findCursor(db: Statements, name: string): Promise<number | undefined> {
  const [row] = await db.query<{ sequence: number }>('SELECT sequence FROM audit_cursors WHERE name = ?', [
    Buffer.from(name),
  ]);
  return row?.sequence;
}

/** Stores a sequence, if the stored one is still `from`. Otherwise another process has moved it: returns false. */
export async function storeCursor(
  tx: Statements,
  name: string,
  from: number | undefined,
  to: number,
): Promise<boolean> {
  const key = Buffer.from(name);
  // Of two processes that insert the first one, the second is refused as a duplicate.
  const sql =
    from === undefined
      ? 'INSERT INTO audit_cursors (sequence, name) VALUES (?, ?)'
      : 'UPDATE audit_cursors SET sequence = ? WHERE name = ? AND sequence = ?';
  return (await tx.execute(sql, from === undefined ? [to, key] : [to, key, from])) > 0;
}
