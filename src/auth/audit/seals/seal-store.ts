// The audit_seals table, and the columns `sequence` and `seal` of audit_records. seal-records.ts fills them.
import { useIndex } from '../../../platform/db/query/hints.ts';
import {
  acrossTenants,
  scopeCondition,
  tenantReads,
  tenantScope,
  type AdminScope,
} from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Reader, SqlValue, Statements } from '../../../platform/db/types.ts';
import { AUDIT_RECORD, type UnsealedRecord } from '../trail/audit-store.ts';
import type { Removal, Seal } from './seal-chain.ts';
import { EVERY_TENANT } from '../statistics/statistics-store.ts';

type Engine = Pick<Database, 'engine'>;

/** `old` records were stored before there were seals. They are sealed when no new ones wait, with negative numbers. */
export type Waiting = 'new' | 'old';

/** A stored seal. */
export interface StoredSeal extends Seal {
  /** Undefined as long as the retention keeps the records. */
  readonly removal: (Removal & { readonly mac: Uint8Array }) | undefined;
}

const BY_SEQUENCE = ['sequence', 'at'] as const;
const OF_ALL_TENANTS = acrossTenants('the records of all tenants are sealed');
const IS_WAITING: Readonly<Record<Waiting, string>> = { new: 'r.sequence IS NULL', old: 'r.sequence = 0' };
/** Before the numbers of new records, which begin at 1. */
export const FIRST_OLD = -(2 ** 52);

/** Records that wait. */
export interface WaitingRecords {
  readonly kind: Waiting;
  /**
   * The time of the oldest one to read, Unix milliseconds; undefined for all. While a long snapshot is open, InnoDB keeps the index
   * entries of all records that have been sealed since it began: a scan of all passes them.
   */
  readonly from?: number | undefined;
}

const conditionOf = ({ kind, from }: WaitingRecords) =>
  `${IS_WAITING[kind]}${from === undefined ? '' : ' AND r.at >= ?'}`;
const valuesOf = ({ from }: WaitingRecords) => (from === undefined ? [] : [from]);

/** Returns the time of the oldest record that waits; undefined if none does. */
export async function oldestWaiting(database: Database, waiting: WaitingRecords): Promise<number | undefined> {
  const [row] = await database.query<{ at: number }>(
    `SELECT r.at AS at FROM ${useIndex(database, 'audit_records', 'r', BY_SEQUENCE)}
      WHERE ${OF_ALL_TENANTS} AND ${conditionOf(waiting)} ORDER BY r.at LIMIT 1`,
    valuesOf(waiting),
  );
  return row?.at;
}

/** Returns the time of the oldest new record in a scope that waits; undefined if none does. */
export async function oldestUnsealed(
  database: Database,
  scope: AdminScope,
  reader: Reader,
): Promise<number | undefined> {
  const within = scopeCondition('r.tenant_id', scope);
  const [row] = await database.queryLong<{ at: number }>(
    `SELECT r.at AS at FROM ${useIndex(database, 'audit_records', 'r', BY_SEQUENCE)}
      WHERE ${IS_WAITING.new} AND ${within.sql} AND ${database.whileWanted('r')} ORDER BY r.at LIMIT 1`,
    within.values,
    reader,
  );
  return row?.at;
}

/** Returns the oldest records that wait. */
export async function selectWaiting(
  tx: Statements,
  engine: Engine,
  waiting: WaitingRecords,
  size: number,
): Promise<UnsealedRecord[]> {
  const rows = await tx.query(
    `SELECT ${AUDIT_RECORD.select('r')}, CASE WHEN r.seal IS NULL THEN 1 ELSE 0 END AS as_inserted
       FROM ${useIndex(engine, 'audit_records', 'r', BY_SEQUENCE)}
      WHERE ${OF_ALL_TENANTS} AND ${conditionOf(waiting)} ORDER BY r.at LIMIT ${size}`,
    valuesOf(waiting),
  );
  return rows.map((row) => ({ ...AUDIT_RECORD.read(row), isAsInserted: row['as_inserted'] === 1 }));
}

/** Returns the last sequence of the sealed records of a kind; the number before the first one if there is none. */
export async function lastSequence(tx: Statements, engine: Engine, kind: Waiting): Promise<number> {
  const condition = kind === 'new' ? 's.last_sequence > 0' : 's.last_sequence < 0';
  const [row] = await tx.query<{ last_sequence: number }>(
    `SELECT s.last_sequence AS last_sequence FROM ${useIndex(engine, 'audit_seals', 's', ['last_sequence'])}
      WHERE ${OF_ALL_TENANTS} AND ${condition} ORDER BY s.last_sequence DESC LIMIT 1`,
  );
  return row?.last_sequence ?? (kind === 'new' ? 0 : FIRST_OLD);
}

const COLUMNS = 'number, first_sequence, last_sequence, newest_at, sealed_at, digest, mac';
export const SEAL_COLUMNS = `CAST(tenant_id AS CHAR) AS tenant, ${COLUMNS}, removed_at, kept_ms, removal_mac`;

export interface SealRow {
  readonly tenant: string;
  readonly number: number;
  readonly first_sequence: number;
  readonly last_sequence: number;
  readonly newest_at: number;
  readonly sealed_at: number;
  readonly digest: Uint8Array;
  readonly mac: Uint8Array;
  readonly removed_at: number | null;
  readonly kept_ms: number | null;
  readonly removal_mac: Uint8Array | null;
}

/** Returns the last seal of a tenant, '' for none, or of EVERY_TENANT; undefined if there is none. */
export async function lastSeal(db: Statements, tenant: string): Promise<StoredSeal | undefined> {
  const [row] = await tenantScope(db, tenant || undefined).query<SealRow>(
    `SELECT ${SEAL_COLUMNS} FROM audit_seals WHERE tenant_id = :tenant ORDER BY number DESC LIMIT 1`,
  );
  return row && toSeal(row);
}

/** Returns the seal of a tenant with a number. */
export async function findSeal(db: Statements, tenant: string, number: number): Promise<StoredSeal | undefined> {
  const [row] = await tenantScope(db, tenant || undefined).query<SealRow>(
    `SELECT ${SEAL_COLUMNS} FROM audit_seals WHERE tenant_id = :tenant AND number = ?`,
    [number],
  );
  return row && toSeal(row);
}

/** Returns the number of the first seal of a tenant with a record at or after a time; of the last seal if none has one. */
export async function firstSealSince(
  database: Pick<Database, 'queryLong' | 'whileWanted'>,
  tenant: string,
  from: number,
  reader: Reader,
): Promise<number> {
  const reads = tenantReads(database, tenant, reader);
  const [row] = await reads.query<{ number: number }>(
    `SELECT s.number AS number FROM audit_seals s
      WHERE s.tenant_id = :tenant AND s.newest_at >= ? AND ${database.whileWanted('s')} ORDER BY s.number LIMIT 1`,
    [from],
  );
  if (row) return row.number;
  const [last] = await reads.query<{ number: number }>(
    'SELECT COALESCE(MAX(number), 1) AS number FROM audit_seals WHERE tenant_id = :tenant',
  );
  return last!.number;
}

/** Rows per statement. */
const CHUNK_SIZE = 50;

/** Stores seals. A seal whose number exists is refused as a duplicate. */
export async function insertSeals(tx: Statements, seals: readonly Seal[]): Promise<void> {
  for (let start = 0; start < seals.length; start += CHUNK_SIZE) {
    const chunk = seals.slice(start, start + CHUNK_SIZE);
    const places = chunk.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ');
    const values = chunk.flatMap((seal): SqlValue[] => [
      Buffer.from(seal.tenant),
      seal.number,
      seal.firstSequence,
      seal.lastSequence,
      seal.newestAt,
      seal.sealedAt,
      seal.digest,
      seal.mac,
      seal.tenant === EVERY_TENANT ? null : seal.newestAt,
    ]);
    await tx.execute(`INSERT INTO audit_seals (tenant_id, ${COLUMNS}, records_at) VALUES ${places}`, values);
  }
}

/** Returns the seals whose newest record is not later than a time, oldest first. */
export async function selectExpiredSeals(
  tx: Statements,
  engine: Engine,
  until: number,
  size: number,
): Promise<StoredSeal[]> {
  const rows = await tx.query<SealRow>(
    `SELECT ${SEAL_COLUMNS} FROM ${useIndex(engine, 'audit_seals', 's', ['records_at'])}
      WHERE ${acrossTenants('the cleanup serves all')} AND records_at <= ? ORDER BY records_at LIMIT ${size}`,
    [until],
  );
  return rows.map(toSeal);
}

/** Stores that the retention has removed the records of a seal. */
export async function storeRemoval(
  tx: Statements,
  { tenant, number }: Pick<Seal, 'tenant' | 'number'>,
  { removedAt, keptMs, mac }: NonNullable<StoredSeal['removal']>,
): Promise<void> {
  await tenantScope(tx, tenant || undefined).execute(
    `UPDATE audit_seals SET records_at = NULL, removed_at = ?, kept_ms = ?, removal_mac = ?
      WHERE tenant_id = :tenant AND number = ?`,
    [removedAt, keptMs, mac, number],
  );
}

export function toSeal(row: SealRow): StoredSeal {
  const { removed_at: removedAt, kept_ms: keptMs, removal_mac: mac } = row;
  return {
    tenant: row.tenant,
    number: row.number,
    firstSequence: row.first_sequence,
    lastSequence: row.last_sequence,
    newestAt: row.newest_at,
    sealedAt: row.sealed_at,
    digest: row.digest,
    mac: row.mac,
    removal: removedAt === null || keptMs === null || mac === null ? undefined : { removedAt, keptMs, mac },
  };
}
