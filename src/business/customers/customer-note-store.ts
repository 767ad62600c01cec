// The customer_notes table.
import { idToBytes } from '../../platform/db/ids.ts';
import type { Page } from '../../platform/db/query/page.ts';
import { tenantReads, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { queryWithTotal } from '../../platform/db/query/total.ts';
import type { Database, Row, Statements } from '../../platform/db/types.ts';
import { CUSTOMER_NOTE, type Customer, type CustomerNote } from './customer.ts';

const COLUMNS = CUSTOMER_NOTE.select('n');
const INSERT = `INSERT INTO customer_notes (${CUSTOMER_NOTE.names}) VALUES (${CUSTOMER_NOTE.placeholders})`;

export async function insertNote(tx: Statements, note: CustomerNote): Promise<void> {
  await tenantScope(tx, note.tenantId).execute(INSERT, CUSTOMER_NOTE.insertValues(note));
}

/** A customer's notes, newest first: their ids ascend with time. */
export async function selectNotes(
  db: Pick<Database, 'queryLong'>,
  { tenantId, id }: Pick<Customer, 'tenantId' | 'id'>,
  { perPage, offset, reader }: Page,
): Promise<{ readonly items: readonly CustomerNote[]; readonly total: number }> {
  const from = 'FROM customer_notes n WHERE n.tenant_id = :tenant AND n.customer_id = ?';
  const customer = idToBytes(id);
  return queryWithTotal(
    tenantReads(db, tenantId, reader),
    {
      columns: COLUMNS,
      from: `${from} ORDER BY n.id DESC LIMIT ? OFFSET ?`,
      values: [customer, perPage, offset],
      offset,
      read: (row: Row) => CUSTOMER_NOTE.read(row, tenantId),
    },
    { sql: `SELECT COUNT(*) ${from}`, values: [customer] },
  );
}
