// Reads for jobs that follow the sealed audit records: seals, and records that a job has seen before.
import { idToBytes } from '../../../platform/db/ids.ts';
import { pairsIn, useIndex } from '../../../platform/db/query/hints.ts';
import { acrossTenants, tenantBytes } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { SHOWN_AUDIT_RECORD, type AuditRecord, type ShownAuditRecord } from '../trail/audit-store.ts';
import { EVERY_TENANT } from '../statistics/statistics-store.ts';

const OF_ALL_TENANTS = acrossTenants('the records of all tenants are followed');

/** A seal of the chain of a tenant, or of all. */
export interface FollowedSeal {
  /** Undefined for the chain of all tenants. */
  readonly tenantId: string | undefined;
  readonly number: number;
  readonly mac: Uint8Array;
  readonly sealedAt: number;
  /** The place of the last record that it covers. */
  readonly lastSequence: number;
}

/** Returns the seals whose last record is after a place and not after another one, in their order. Not those of records without a tenant. */
export async function selectSealsBetween(database: Database, after: number, through: number): Promise<FollowedSeal[]> {
  const rows = await database.query<{
    tenant: string;
    number: number;
    mac: Uint8Array;
    sealed_at: number;
    last_sequence: number;
  }>(
    `SELECT CAST(s.tenant_id AS CHAR) AS tenant, s.number AS number, s.mac AS mac, s.sealed_at AS sealed_at,
        s.last_sequence AS last_sequence
       FROM ${useIndex(database, 'audit_seals', 's', ['last_sequence'])}
      WHERE ${OF_ALL_TENANTS} AND s.last_sequence > ? AND s.last_sequence <= ? AND s.tenant_id <> ? ORDER BY s.number`,
    [after, through, tenantBytes(undefined)],
  );
  return rows.map(({ tenant, number, mac, sealed_at: sealedAt, last_sequence: lastSequence }) => ({
    tenantId: tenant === EVERY_TENANT ? undefined : tenant,
    number,
    mac,
    sealedAt,
    lastSequence,
  }));
}

/** Returns the records with these ids that still exist. */
export async function selectRecords(
  db: Statements,
  { engine }: Pick<Database, 'engine'>,
  records: readonly Pick<AuditRecord, 'tenantId' | 'id'>[],
): Promise<ShownAuditRecord[]> {
  if (records.length === 0) return [];
  const rows = await db.query(
    `SELECT ${SHOWN_AUDIT_RECORD.select('r')} FROM audit_records r
      WHERE ${pairsIn(engine, 'r.tenant_id, r.id', records.length)}`,
    records.flatMap(({ tenantId, id }) => [tenantBytes(tenantId), idToBytes(id)]),
  );
  return rows.map((row) => SHOWN_AUDIT_RECORD.read(row));
}
