import { id, optional, optionalId, optionalTenant, text, time, type Column } from '../../platform/db/columns.ts';
import { bytesToId, idToBytes, newId } from '../../platform/db/ids.ts';
import { tenantBytes, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { defineRecord, type Insertable, type ValuesOf } from '../../platform/db/record.ts';
import type { Insertion, SqlValue, Statements } from '../../platform/db/types.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';

const COLUMNS = {
  // One statement inserts records of several tenants.
  tenantId: {
    ...optionalTenant('tenant_id'),
    toSql: tenantBytes,
    isWrittenFromScope: false,
  } satisfies Column<string | undefined>,
  id: id('id'),
  /** Unix milliseconds. */
  at: time('at'),
  event: text('event'),
  accountId: optionalId('account_id'),
  username: optional(text('username')),
  actorId: optionalId('actor_id'),
  clientAddress: text('client_address'),
  requestId: text('request_id'),
  /** JSON text of an object. */
  details: text('details'),
};

export const AUDIT_RECORD = defineRecord('audit_records', { fixed: COLUMNS, fields: {} });
/** A stored audit event. */
export type AuditRecord = ValuesOf<typeof COLUMNS>;

/** A record to insert. */
export interface NewAuditRecord extends Omit<Insertable<AuditRecord>, 'tenantId' | 'details'> {
  readonly tenantId: string | undefined;
  readonly details?: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Returns the cleanup target for audit records older than the retention, in milliseconds. Returns none if it is 0,
 * which keeps them forever.
 */
export function auditCleanupTargets(retentionMs: number): readonly CleanupTarget[] {
  if (retentionMs === 0) return [];
  return [{ table: 'audit_records', key: ['tenant_id', 'id'], expiresAt: ['at'], keepMs: retentionMs }];
}

const INTO = `audit_records (${AUDIT_RECORD.names})`;
const ROW = `(${AUDIT_RECORD.placeholders})`;

/** Returns the insertion of one record. */
export function auditInsertion(record: NewAuditRecord): Insertion {
  return { into: INTO, row: `VALUES ${ROW}`, values: valuesOf(record) };
}

/** Inserts records in one statement. */
export async function insertAuditRecords(tx: Statements, records: readonly NewAuditRecord[]): Promise<void> {
  await tx.execute(`INSERT INTO ${INTO} VALUES ${records.map(() => ROW).join(', ')}`, records.flatMap(valuesOf));
}

/** Deletes a record of the same transaction, if it exists. */
export async function deleteAuditRecord(
  tx: Statements,
  { tenantId, id }: Pick<NewAuditRecord, 'tenantId' | 'id'>,
): Promise<void> {
  const sql = 'DELETE FROM audit_records WHERE tenant_id = :tenant AND id = ?';
  await tenantScope(tx, tenantId).execute(sql, [idToBytes(id)]);
}

/** Writes as many pages as for a record, and stores none. */
export async function insertNoRecord(tx: Statements): Promise<void> {
  const record = { id: newId(), tenantId: undefined, at: 0, event: '', clientAddress: '', requestId: '' };
  await insertAuditRecords(tx, [record]);
  await deleteAuditRecord(tx, record);
}

/** Whether a record with this id is stored. */
export async function auditRecordExists(
  statements: Statements,
  { tenantId, id }: Pick<NewAuditRecord, 'tenantId' | 'id'>,
): Promise<boolean> {
  const sql = 'SELECT 1 AS one FROM audit_records WHERE tenant_id = :tenant AND id = ?';
  return (await tenantScope(statements, tenantId).query(sql, [idToBytes(id)])).length > 0;
}

function valuesOf(record: NewAuditRecord): readonly SqlValue[] {
  return AUDIT_RECORD.insertValues({ ...record, details: JSON.stringify(record.details ?? {}) });
}

/** Recorded instead of a client address that was erased. */
export const ERASED = 'erased';

/** Which columns of which records identify an erased account: the condition has its id once. */
const TRACES = [
  { condition: 'account_id = ? AND username IS NOT NULL', change: 'username = NULL' },
  // An action of an administrator has the address of the administrator.
  {
    condition: `account_id = ? AND actor_id IS NULL AND client_address <> '${ERASED}'`,
    change: `client_address = '${ERASED}'`,
  },
  { condition: `actor_id = ? AND client_address <> '${ERASED}'`, change: `client_address = '${ERASED}'` },
];

/**
 * Removes the username of an account from the records about it, and its client address from the records of its own
 * actions. Other columns stay. Reads at most `size` records at a time. Returns the ids of the changed records.
 */
export async function anonymizeRecords(
  db: Statements,
  { tenantId, accountId }: { readonly tenantId: string | undefined; readonly accountId: string },
  size: number,
): Promise<ReadonlySet<string>> {
  const scope = tenantScope(db, tenantId);
  const changed = new Set<string>();
  for (const { condition, change } of TRACES) {
    const select = `SELECT id FROM audit_records WHERE tenant_id = :tenant AND ${condition} LIMIT ${size}`;
    const update = `UPDATE audit_records SET ${change} WHERE tenant_id = :tenant AND id = ?`;
    for (;;) {
      const rows = await scope.query<{ id: Uint8Array }>(select, [idToBytes(accountId)]);
      for (const { id } of rows) {
        await scope.execute(update, [id]);
        changed.add(bytesToId(id));
      }
      if (rows.length < size) break;
    }
  }
  return changed;
}
