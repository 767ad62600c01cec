import type {
  GetStatisticsRequest,
  GetStatisticsResponse,
  StatisticsPeriod,
} from '../../../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Total } from '../../../platform/db/query/page.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Reader } from '../../../platform/db/types.ts';
import { lastRunOf } from '../../../platform/jobs/lease.ts';
import { readerOf } from '../../../platform/rpc/paging.ts';
import type { Call } from '../../access/principal.ts';
import { HOUR_MS, hourOf, STATISTICS_JOB } from './aggregate-statistics.ts';
import { readableScope } from '../trail/audit-filter.ts';
import { EVERY_TENANT, mostFrequent, OTHERS, selectHours, type HourCounts } from './statistics-store.ts';

export interface StatisticsDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /** Counts the open sessions, up to a limit. */
  readonly countOpenSessions: (scope: AdminScope, reader: Reader) => Promise<Total>;
  /** Returns the names of those of some client ids that are applications of the scope, or for all tenants. */
  readonly selectApplicationNames: (
    scope: AdminScope,
    clientIds: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
  /** Returns the password hashes of this process, now. */
  readonly hashLoad: () => { readonly running: number; readonly queued: number };
}

const HOURS = 48;
const DAYS = 30;
/** The applications of a period that are listed. */
const APPLICATIONS = 20;
const DAY_MS = 24 * HOUR_MS;

/** TenancyService.GetStatistics. */
export function createGetStatistics(dependencies: StatisticsDependencies) {
  const { database, clock, countOpenSessions, selectApplicationNames, hashLoad } = dependencies;
  return async ({ tenantId }: GetStatisticsRequest, call: Call): Promise<GetStatisticsResponse> => {
    const scope = readableScope(call.principal!, tenantId);
    const now = clock();
    const firstHour = hourOf(now) - (HOURS - 1) * HOUR_MS;
    const firstDay = now - (now % DAY_MS) - (DAYS - 1) * DAY_MS;
    const [byHour, last, open] = await Promise.all([
      selectHours(database, scope.everyTenant ? EVERY_TENANT : scope.tenantId!, firstDay),
      lastRunOf(database, STATISTICS_JOB),
      countOpenSessions(scope, readerOf(call)),
    ]);
    const period = (start: number, durationMs: number) => periodOf(start, within(byHour, start, start + durationMs));
    const hours = Array.from({ length: HOURS }, (_, index) => period(firstHour + index * HOUR_MS, HOUR_MS));
    const days = Array.from({ length: DAYS }, (_, index) => period(firstDay + index * DAY_MS, DAY_MS));
    const listed = [...hours, ...days].flatMap((one) => one.authorizationsByApplication);
    const names = await selectApplicationNames(scope, [...new Set(listed.map(({ clientId }) => clientId))]);
    for (const one of listed) if (names.has(one.clientId)) one.name = names.get(one.clientId)!;
    return {
      statistics: {
        hours,
        days,
        ...(last && { countedAt: new Date(last.at) }),
        openSessions: open.total,
        ...(open.isMinimum && { openSessionsIsMinimum: true }),
        // All tenants share them, so those of one do not learn how much the others log in.
        ...(scope.everyTenant && { passwordHashes: hashLoad() }),
      },
    };
  };
}

function within(byHour: ReadonlyMap<number, HourCounts>, from: number, until: number): HourCounts[] {
  const found: HourCounts[] = [];
  for (let hour = from; hour < until; hour += HOUR_MS) {
    const counts = byHour.get(hour);
    if (counts) found.push(counts);
  }
  return found;
}

function periodOf(start: number, hours: readonly HourCounts[]): StatisticsPeriod {
  const sum = (kind: 'logins' | 'failures' | 'locks') => hours.reduce((total, counts) => total + counts[kind], 0);
  const reasons = new Map<string, number>();
  for (const counts of hours) {
    for (const [reason, count] of Object.entries(counts.reasons))
      reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  const authorizations = sumAuthorizations(hours);
  const applications = mostFrequent(authorizations, APPLICATIONS);
  return {
    start: new Date(start),
    logins: sum('logins'),
    failures: sum('failures'),
    locks: sum('locks'),
    failuresByReason: [...reasons]
      .map(([reason, count]) => ({ reason, count }))
      .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    authorizations: [...applications.values()].reduce((total, count) => total + count, 0),
    authorizationsByApplication: [...applications]
      .filter(([clientId]) => clientId !== OTHERS)
      .map(([clientId, count]) => ({ clientId, count })),
    otherAuthorizations: applications.get(OTHERS) ?? 0,
  };
}

function sumAuthorizations(hours: readonly HourCounts[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { authorizations } of hours) {
    for (const [clientId, count] of authorizations) sums.set(clientId, (sums.get(clientId) ?? 0) + count);
  }
  return sums;
}
