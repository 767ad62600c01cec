// The customer_notes table.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { tenantReads, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { queryWithTotal } from '../../platform/db/query/total.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import type { Page } from '../../platform/db/query/page.ts';

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
  note_id: string;
  text: string;
  author: string;
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
  db: Pick<Database, 'queryLong'>,
  { tenantId, customerId }: Pick<CustomerNote, 'tenantId' | 'customerId'>,
  { perPage, offset, reader }: Page,
): Promise<{ readonly notes: readonly CustomerNote[]; readonly total: number }> {
  const from = 'FROM customer_notes WHERE tenant_id = :tenant AND customer_id = ?';
  const customer = idToBytes(customerId);
  const { items, total } = await queryWithTotal(
    tenantReads(db, tenantId, reader),
    {
      columns: `${hexOf('id')} AS note_id, text, ${hexOf('author_id')} AS author, created_at`,
      from: `${from} ORDER BY id DESC LIMIT ? OFFSET ?`,
      values: [customer, perPage, offset],
      offset,
      read: (row: NoteRow) => ({
        id: hexToId(row.note_id),
        tenantId,
        customerId,
        text: row.text,
        authorId: hexToId(row.author),
        createdAt: row.created_at,
      }),
    },
    { sql: `SELECT COUNT(*) ${from}`, values: [customer] },
  );
  return { notes: items, total };
}
