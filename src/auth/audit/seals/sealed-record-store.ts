// Reads of sealed audit records in their order, for streams, webhooks and exports.
import { useIndex } from '../../../platform/db/query/hints.ts';
import { acrossTenants, scopeCondition } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Reader, Row, SqlValue } from '../../../platform/db/types.ts';
import { conditionsOf, type AuditFilter } from '../trail/audit-filter.ts';
import { SHOWN_AUDIT_RECORD, type ShownAuditRecord } from '../trail/audit-store.ts';

/** A record with its place in the order. */
export interface PlacedRecord extends ShownAuditRecord {
  readonly sequence: number;
}

/** The next records of a reader. */
export interface NextRecords {
  readonly records: readonly PlacedRecord[];
  /** Where to read on: all matching records up to this place have been returned. */
  readonly through: number;
}

const BY_SEQUENCE = ['sequence', 'at'] as const;
/** Places that one read covers. Few of them can match. */
const WINDOW = 5_000;
const OF_ALL_TENANTS = acrossTenants('the records of all tenants are sealed');

/**
 * Returns the records after a place that match the filter, in their order, at most `size`. Each statement reads the last sealed
 * place too: a node of a cluster that is behind must not hide records that it does not have yet.
 *
 * @param reader Set if the read can take long, because the reader is far behind.
 */
export async function readSealedRecords(
  database: Database,
  filter: AuditFilter,
  { after, size, reader }: { readonly after: number; readonly size: number; readonly reader?: Reader | undefined },
): Promise<NextRecords> {
  const { events, scope } = filter;
  const inScope = scopeCondition('r.tenant_id', scope);
  const kinds = [...new Set(events)];
  const conditions = [
    ...conditionsOf(filter),
    ...(kinds.length === 0 ? [] : [{ sql: `r.event IN (${kinds.map(() => '?').join(', ')})`, values: kinds }]),
  ];
  const sql = `SELECT ${SHOWN_AUDIT_RECORD.select('r')}, r.sequence AS sequence, t.sealed AS sealed
      FROM (SELECT COALESCE(MAX(last_sequence), 0) AS sealed FROM audit_seals WHERE ${OF_ALL_TENANTS}) t
      LEFT JOIN ${useIndex(database, 'audit_records', 'r', BY_SEQUENCE)}
        ON ${[inScope, ...conditions].map((condition) => condition.sql).join(' AND ')}
       AND r.sequence > ? AND r.sequence <= ? AND r.sequence <= t.sealed
     ORDER BY r.sequence LIMIT ${size}`;
  const values: SqlValue[] = [...inScope.values, ...conditions.flatMap((condition) => condition.values)];
  const all = [...values, after, after + WINDOW];
  const rows = await (reader ? database.queryLong(sql, all, reader) : database.query(sql, all));
  const records = rows.filter((row) => row['sequence'] !== null).map(toPlacedRecord);
  const sealed = rows[0]!['sealed'] as number;
  const through = records.length === size ? records.at(-1)!.sequence : Math.min(after + WINDOW, sealed);
  return { records, through: Math.max(after, through) };
}

function toPlacedRecord(row: Row): PlacedRecord {
  return { ...SHOWN_AUDIT_RECORD.read(row), sequence: row['sequence'] as number };
}

/** Returns the last place of each tenant with seals after a place; EVERY_TENANT is among them. */
export async function selectSealedAfter(database: Database, after: number): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ tenant: string; last: number }>(
    `SELECT CAST(s.tenant_id AS CHAR) AS tenant, MAX(s.last_sequence) AS last
       FROM ${useIndex(database, 'audit_seals', 's', ['last_sequence'])}
      WHERE ${OF_ALL_TENANTS} AND s.last_sequence > ? GROUP BY s.tenant_id`,
    [after],
  );
  return new Map(rows.map(({ tenant, last }) => [tenant, last]));
}
