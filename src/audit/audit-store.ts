import { idToBytes } from '../db/ids.ts';
import { tenantBytes, tenantScope } from '../db/query/tenant-scope.ts';
import type { Insertion, SqlValue, Statements } from '../db/types.ts';
import type { CleanupTarget } from '../jobs/cleanup.ts';

/** A record to insert. */
export interface NewAuditRecord {
  readonly id: string;
  readonly tenantId: string | undefined;
  /** Unix milliseconds. */
  readonly at: number;
  readonly event: string;
  readonly accountId?: string | undefined;
  readonly username?: string | undefined;
  readonly actorId?: string | undefined;
  readonly clientAddress: string;
  readonly requestId: string;
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

const INTO = `audit_records (tenant_id, id, at, event, account_id, username, actor_id, client_address, request_id,
       details)`;
const ROW_IF = 'SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM (SELECT 1 AS one) AS once WHERE one = ?';
const ROW = 'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** Returns the insertion of one record. */
export function auditInsertion(record: NewAuditRecord): Insertion {
  return { into: INTO, row: ROW, values: valuesOf(record) };
}

/**
 * Returns an insertion that inserts nothing unless the record is `stored`. The statement takes the same time either
 * way.
 */
export function auditInsertionIf(record: NewAuditRecord & { readonly stored: boolean }): Insertion {
  return { into: INTO, row: ROW_IF, values: valuesIf(record) };
}

/**
 * Inserts records in one statement. It includes records that are not `stored` without inserting them, so that it takes
 * the same time.
 */
export async function insertAuditRecords(
  tx: Statements,
  records: readonly (NewAuditRecord & { readonly stored: boolean })[],
): Promise<void> {
  await tx.execute(`INSERT INTO ${INTO} ${records.map(() => ROW_IF).join(' UNION ALL ')}`, records.flatMap(valuesIf));
}

/** Whether a record with this id is stored. */
export async function auditRecordExists(
  statements: Statements,
  { tenantId, id }: Pick<NewAuditRecord, 'tenantId' | 'id'>,
): Promise<boolean> {
  const sql = 'SELECT 1 AS one FROM audit_records WHERE tenant_id = :tenant AND id = ?';
  return (await tenantScope(statements, tenantId).query(sql, [idToBytes(id)])).length > 0;
}

function valuesIf(record: NewAuditRecord & { readonly stored: boolean }): readonly SqlValue[] {
  return [...valuesOf(record), record.stored ? 1 : 0];
}

function valuesOf(record: NewAuditRecord): readonly SqlValue[] {
  return [
    tenantBytes(record.tenantId),
    idToBytes(record.id),
    record.at,
    record.event,
    record.accountId === undefined ? null : idToBytes(record.accountId),
    record.username ?? null,
    record.actorId === undefined ? null : idToBytes(record.actorId),
    record.clientAddress,
    record.requestId,
    JSON.stringify(record.details ?? {}),
  ];
}

/** Recorded instead of a client address that was erased. */
const ERASED = 'erased';

/**
 * Removes username and client address from records about an account, at most from `size` of them. Other columns
 * stay. Returns the number of records.
 */
export async function anonymizeRecords(
  db: Statements,
  { tenantId, accountId }: { readonly tenantId: string | undefined; readonly accountId: string },
  size: number,
): Promise<number> {
  const scope = tenantScope(db, tenantId);
  const rows = await scope.query<{ id: Uint8Array }>(
    `SELECT id FROM audit_records WHERE tenant_id = :tenant AND account_id = ? AND client_address <> ? LIMIT ${size}`,
    [idToBytes(accountId), ERASED],
  );
  const sql = 'UPDATE audit_records SET username = NULL, client_address = ? WHERE tenant_id = :tenant AND id = ?';
  for (const { id } of rows) await scope.execute(sql, [ERASED, id]);
  return rows.length;
}
