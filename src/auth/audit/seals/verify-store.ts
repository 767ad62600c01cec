// Reads of the verification of the audit trail.
import { hexOf, hexToId, idToBytes } from '../../../platform/db/ids.ts';
import { useIndex } from '../../../platform/db/query/hints.ts';
import { acrossTenants, tenantBytes, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import { AUDIT_RECORD, type AuditRecord } from '../trail/audit-store.ts';
import { FIRST_OLD, SEAL_COLUMNS, toSeal, type SealRow, type StoredSeal } from './seal-store.ts';
import { EVERY_TENANT } from '../statistics/statistics-store.ts';

/** A record with its place and its seal. */
export interface SealedRecord extends AuditRecord {
  readonly sequence: number;
  readonly seal: Uint8Array | undefined;
}

/** Consecutive places of records, both inclusive. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

const OF_ALL_TENANTS = acrossTenants('the trail of all tenants is verified');

/** Returns the tenants that have seals after a tenant, in the order of their ids, one at a time. */
export async function nextSealedTenant(database: Database, after: string | undefined): Promise<string | undefined> {
  const [row] = await database.query<{ tenant: string | null }>(
    `SELECT CAST(MIN(tenant_id) AS CHAR) AS tenant FROM audit_seals
      WHERE ${OF_ALL_TENANTS}${after === undefined ? '' : ' AND tenant_id > ?'}`,
    after === undefined ? [] : [Buffer.from(after)],
  );
  return row?.tenant ?? undefined;
}

/** Returns the next seals of a chain. */
export async function selectSeals(
  database: Database,
  tenant: string,
  afterNumber: number,
  size: number,
): Promise<StoredSeal[]> {
  const rows = await tenantScope(database, tenant || undefined).query<SealRow>(
    `SELECT ${SEAL_COLUMNS} FROM audit_seals WHERE tenant_id = :tenant AND number > ? ORDER BY number LIMIT ${size}`,
    [afterNumber],
  );
  return rows.map(toSeal);
}

/** Returns the seals of tenants in a range, in the order of their records. */
export async function selectSealsIn(database: Database, { first, last }: Range): Promise<StoredSeal[]> {
  const rows = await database.query<SealRow>(
    `SELECT ${SEAL_COLUMNS} FROM ${useIndex(database, 'audit_seals', 's', ['last_sequence'])}
      WHERE ${OF_ALL_TENANTS} AND last_sequence >= ? AND last_sequence <= ? AND tenant_id <> ? ORDER BY last_sequence`,
    [first, last, Buffer.from(EVERY_TENANT)],
  );
  return rows.map(toSeal);
}

/** Returns the records in a range, in their order. */
export async function selectRecordsIn(
  database: Database,
  { first, last }: Range,
  size: number,
): Promise<SealedRecord[]> {
  const rows = await database.query(
    `SELECT ${AUDIT_RECORD.select('r')}, r.sequence AS sequence, r.seal AS seal
       FROM ${useIndex(database, 'audit_records', 'r', ['sequence', 'at'])}
      WHERE ${OF_ALL_TENANTS} AND r.sequence >= ? AND r.sequence <= ? ORDER BY r.sequence LIMIT ${size}`,
    [first, last],
  );
  return rows.map((row) => ({
    ...AUDIT_RECORD.read(row),
    sequence: row['sequence'] as number,
    seal: (row['seal'] as Uint8Array | null) ?? undefined,
  }));
}

/** Returns records with places that no seal can have: before the first old one, or beyond what a number holds exactly. */
export async function selectRecordsBeyond(
  database: Database,
  size: number,
): Promise<{ tenantId: string | undefined; id: string; sequence: number }[]> {
  const rows = await database.query<{ tenant: string; id: string; place: string }>(
    `SELECT CAST(r.tenant_id AS CHAR) AS tenant, ${hexOf('r.id')} AS id, CAST(r.sequence AS CHAR) AS place
       FROM ${useIndex(database, 'audit_records', 'r', ['sequence', 'at'])}
      WHERE ${OF_ALL_TENANTS} AND (r.sequence <= ? OR r.sequence > ?) LIMIT ${size}`,
    [FIRST_OLD, Number.MAX_SAFE_INTEGER],
  );
  return rows.map(({ tenant, id, place }) => ({
    tenantId: tenant || undefined,
    id: hexToId(id),
    sequence: Number(place),
  }));
}

/** Returns the erased tenants, with the place of the last record that says so; infinite if it has none yet. */
export async function selectErasedTenants(database: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ details: string; sequence: number | null }>(
    `SELECT r.details AS details, r.sequence AS sequence
       FROM ${useIndex(database, 'audit_records', 'r', ['event', 'at', 'id'])}
      WHERE ${OF_ALL_TENANTS} AND r.event = 'tenant.erased'`,
  );
  const erased = new Map<string, number>();
  for (const { details, sequence } of rows) {
    const { tenant } = JSON.parse(details) as { readonly tenant?: unknown };
    // A record from before there were seals is older than all seals.
    const place = sequence ?? Infinity;
    if (typeof tenant === 'string') erased.set(tenant, Math.max(erased.get(tenant) ?? -Infinity, place));
  }
  return erased;
}

/** Whether a record says that an account was erased. It has no tenant if the account was deleted before. */
export async function isErasedAccount(
  database: Database,
  tenantId: string | undefined,
  accountId: string,
): Promise<boolean> {
  const rows = await database.query(
    `SELECT 1 AS one FROM audit_records
      WHERE tenant_id IN (?, ?) AND account_id = ? AND event = 'account.erased' LIMIT 1`,
    [tenantBytes(tenantId), tenantBytes(undefined), idToBytes(accountId)],
  );
  return rows.length > 0;
}
