// Reads of sealed audit records for jobs. Only new ones are in the order of `sequence`: those from before there were seals have negative numbers.
import { idToBytes } from '../../platform/db/ids.ts';
import { pairsIn, useIndex } from '../../platform/db/query/hints.ts';
import { acrossTenants, tenantBytes } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { AUDIT_RECORD, type AuditRecord } from './audit-store.ts';

/** A record with its place in the order of all records. */
export interface SealedRecord extends AuditRecord {
  readonly sequence: number;
}

const BY_SEQUENCE = ['sequence', 'at'] as const;
const OF_ALL_TENANTS = acrossTenants('the records of all tenants are followed');

/** Returns the records after a place in the order, at most `limit`. No record will be inserted before the last one. */
export async function selectSealedAfter(
  db: Statements,
  engine: Pick<Database, 'engine'>,
  sequence: number,
  limit: number,
): Promise<SealedRecord[]> {
  const rows = await db.query(
    `SELECT ${AUDIT_RECORD.select('r')}, r.sequence AS sequence
       FROM ${useIndex(engine, 'audit_records', 'r', BY_SEQUENCE)}
      WHERE ${OF_ALL_TENANTS} AND r.sequence > ? ORDER BY r.sequence LIMIT ${limit}`,
    [Math.max(0, sequence)],
  );
  return rows.map((row) => ({ ...AUDIT_RECORD.read(row), sequence: row['sequence'] as number }));
}

/** Returns the records with these ids that still exist. */
export async function selectRecords(
  database: Database,
  records: readonly Pick<AuditRecord, 'tenantId' | 'id'>[],
): Promise<AuditRecord[]> {
  if (records.length === 0) return [];
  const rows = await database.query(
    `SELECT ${AUDIT_RECORD.select('r')} FROM audit_records r
      WHERE ${pairsIn(database.engine, 'r.tenant_id, r.id', records.length)}`,
    records.flatMap(({ tenantId, id }) => [tenantBytes(tenantId), idToBytes(id)]),
  );
  return rows.map((row) => AUDIT_RECORD.read(row));
}
