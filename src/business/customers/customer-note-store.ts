// The customer_notes table.
import { bytesToId, idToBytes } from '../../db/ids.ts';
import { tenantScope } from '../../db/query/tenant-scope.ts';
import type { Statements } from '../../db/types.ts';
import type { Page } from '../../db/query/page.ts';

export interface CustomerNote {
  /** UUIDv7. */
  readonly id: string;
  readonly tenantId: string;
  readonly customerId: string;
  readonly text: string;
  /** Account id of the author. */
  readonly authorId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

interface NoteRow {
  id: Uint8Array;
  text: string;
  author_id: Uint8Array;
  created_at: number;
}

export async function insertNote(tx: Statements, note: CustomerNote): Promise<void> {
  await tenantScope(tx, note.tenantId).execute(
    `INSERT INTO customer_notes (tenant_id, customer_id, id, text, author_id, created_at)
     VALUES (:tenant, ?, ?, ?, ?, ?)`,
    [idToBytes(note.customerId), idToBytes(note.id), note.text, idToBytes(note.authorId), note.createdAt],
  );
}

/** A customer's notes, newest first: their ids ascend with time. */
export async function selectNotes(
  db: Statements,
  { tenantId, customerId }: Pick<CustomerNote, 'tenantId' | 'customerId'>,
  { perPage, offset }: Page,
): Promise<{ readonly notes: readonly CustomerNote[]; readonly total: number }> {
  const scope = tenantScope(db, tenantId);
  const customer = [idToBytes(customerId)];
  const [rows, [counted]] = await Promise.all([
    scope.query<NoteRow>(
      `SELECT id, text, author_id, created_at FROM customer_notes
        WHERE tenant_id = :tenant AND customer_id = ? ORDER BY id DESC LIMIT ${perPage} OFFSET ${offset}`,
      customer,
    ),
    scope.query<{ total: number }>(
      'SELECT COUNT(*) AS total FROM customer_notes WHERE tenant_id = :tenant AND customer_id = ?',
      customer,
    ),
  ]);
  const notes = rows.map((row) => ({
    id: bytesToId(row.id),
    tenantId,
    customerId,
    text: row.text,
    authorId: bytesToId(row.author_id),
    createdAt: row.created_at,
  }));
  return { notes, total: counted!.total };
}
