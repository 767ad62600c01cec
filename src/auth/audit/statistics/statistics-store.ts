// The login_statistics table: numbers of audit records by tenant and hour. aggregate-statistics.ts fills it.
import { UNLIMITED } from '../../../platform/clock.ts';
import { useIndex } from '../../../platform/db/query/hints.ts';
import { acrossTenants, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, SqlValue, Statements } from '../../../platform/db/types.ts';
import type { CleanupTarget } from '../../../platform/jobs/cleanup.ts';

/** The events of an hour. */
export interface HourCounts {
  readonly logins: number;
  readonly failures: number;
  readonly locks: number;
  readonly reasons: Readonly<Record<string, number>>;
  /** Authorizations by client id; OTHERS for those of applications that are left out. */
  readonly authorizations: ReadonlyMap<string, number>;
}

/** Stands for the client ids that are left out. */
export const OTHERS = '';

/** Audit records of one kind of a tenant. */
export interface EventCount {
  /** Empty for records without a tenant. */
  readonly tenant: string;
  readonly event: string;
  /** The reason of a failure, the client id of an authorization. */
  readonly detail: string | null;
  readonly count: number;
}

/** MySQL returns sums as texts. */
type StoredCount = Omit<EventCount, 'count'> & { readonly count: number | string };

/** The tenant of the sums over all tenants. */
export const EVERY_TENANT = '*';
const DAY_MS = 86_400_000;

export const STATISTICS_CLEANUP: CleanupTarget = {
  table: 'login_statistics',
  key: ['tenant_id', 'hour_at'],
  expiresAt: ['hour_at'],
  keepMs: 32 * DAY_MS,
};

/** The value of a member of the details. The engines differ in the quotes of texts. */
const detail = (name: string) => `REPLACE(JSON_EXTRACT(r.details, '$.${name}'), '"', '')`;
/** Its count of refused usernames stands for as many records of failed logins. */
const SUMMARY = 'refusals.counted';
/** The events that are counted, and by which detail. */
const COUNTED: readonly (readonly [event: string, detail?: string])[] = [
  ['login.succeeded'],
  ['login.failed', 'reason'],
  ['account.locked'],
  ['second-factor.failed'],
  ['second-factor.locked'],
  ['grant.created', 'clientId'],
  [SUMMARY, 'reason'],
];

/** Returns the time of the oldest audit record; undefined if there is none. */
export async function firstRecordAt(database: Database): Promise<number | undefined> {
  const [row] = await database.query<{ at: number | null }>(
    `SELECT MIN(at) AS at FROM audit_records WHERE ${acrossTenants('the statistics of all tenants')}`,
  );
  return row?.at ?? undefined;
}

/** Counts the audit records of a time range, by tenant, event and detail. The end is exclusive. */
export async function countEvents(database: Database, from: number, until: number): Promise<EventCount[]> {
  const counts: StoredCount[] = [];
  // One after another, because few long reads run at once.
  for (const [event, name] of COUNTED) {
    const isSummary = event === SUMMARY;
    counts.push(
      ...(await database.queryLong<StoredCount>(
        `SELECT CAST(r.tenant_id AS CHAR) AS tenant, r.event AS event, ${name ? detail(name) : 'NULL'} AS detail,
                ${isSummary ? `SUM(${detail('count')} + 0)` : 'COUNT(*)'} AS count
           FROM ${useIndex(database, 'audit_records', 'r', ['event', 'at', 'id'])}
          WHERE ${acrossTenants('the statistics of all tenants')} AND r.event = ? AND r.at >= ? AND r.at < ?
            ${isSummary ? `AND ${detail('kind')} = 'username'` : ''}
          GROUP BY r.tenant_id, r.event, ${name ? detail(name) : 'r.event'}`,
        [event, from, until],
        { deadline: UNLIMITED, tenantId: undefined },
      )),
    );
  }
  return counts.map((row) => ({ ...row, count: Number(row.count) }));
}

const COLUMNS = 'tenant_id, hour_at, logins, failures, locks, reasons, authorizations';
/** Of a row: a response reads those of 30 days, and a row has place for 64 kB. */
const MAX_CLIENT_IDS = 100;
/** Rows per statement. */
const CHUNK_SIZE = 100;

/** Replaces the numbers of an hour, those of some tenants at a time. */
export async function storeHour(
  db: Statements,
  hour: number,
  byTenant: ReadonlyMap<string, HourCounts>,
): Promise<void> {
  const rows = [...byTenant].map(([tenant, { logins, failures, locks, reasons, authorizations }]): SqlValue[] => [
    Buffer.from(tenant),
    hour,
    logins,
    failures,
    locks,
    JSON.stringify(reasons),
    JSON.stringify(Object.fromEntries(mostFrequent(authorizations, MAX_CLIENT_IDS))),
  ]);
  for (let start = 0; start < rows.length; start += CHUNK_SIZE) {
    const chunk = rows.slice(start, start + CHUNK_SIZE);
    const places = chunk.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ');
    await db.execute(`REPLACE INTO login_statistics (${COLUMNS}) VALUES ${places}`, chunk.flat());
  }
}

/** Returns the most frequent client ids, in this order, and OTHERS with the sum of all others. */
export function mostFrequent(counts: ReadonlyMap<string, number>, limit: number): ReadonlyMap<string, number> {
  const named = [...counts]
    .filter(([clientId]) => clientId !== OTHERS)
    .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  const others = named.slice(limit).reduce((sum, [, count]) => sum + count, counts.get(OTHERS) ?? 0);
  return new Map([...named.slice(0, limit), ...(others > 0 ? [[OTHERS, others] as const] : [])]);
}

/** Returns the numbers of a tenant, or of EVERY_TENANT, by the beginning of the hour. */
export async function selectHours(
  database: Database,
  tenant: string,
  from: number,
): Promise<ReadonlyMap<number, HourCounts>> {
  const rows = await tenantScope(database, tenant).query<{
    hour_at: number;
    logins: number;
    failures: number;
    locks: number;
    reasons: string;
    authorizations: string | null;
  }>(
    `SELECT hour_at, logins, failures, locks, reasons, authorizations FROM login_statistics WHERE tenant_id = :tenant AND hour_at >= ?
      ORDER BY hour_at`,
    [from],
  );
  return new Map(
    rows.map(({ hour_at: hour, reasons, authorizations, ...counts }) => [
      hour,
      {
        ...counts,
        reasons: JSON.parse(reasons) as HourCounts['reasons'],
        // Null in rows of an earlier release.
        authorizations: new Map(Object.entries(JSON.parse(authorizations ?? '{}') as Record<string, number>)),
      },
    ]),
  );
}
