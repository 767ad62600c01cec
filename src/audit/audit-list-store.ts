// Lists of audit records. audit-log.ts writes them.
import { bytesToId, idToBytes } from '../db/ids.ts';
import { queryPage } from '../db/query/page-query.ts';
import { inScope, type AdminScope } from '../db/query/tenant-scope.ts';
import type { Database } from '../db/types.ts';
import type { Page } from '../db/query/page.ts';

/** A stored audit event. */
export interface AuditRecord {
  readonly id: string;
  readonly tenantId: string | undefined;
  /** Unix milliseconds. */
  readonly at: number;
  readonly event: string;
  readonly accountId: string | undefined;
  readonly username: string | undefined;
  readonly actorId: string | undefined;
  readonly clientAddress: string;
  readonly requestId: string;
  /** JSON text of an object. */
  readonly details: string;
}

/** An undefined or empty field matches everything. */
export interface AuditFilter {
  readonly scope: AdminScope;
  readonly events: readonly string[];
  readonly accountId: string | undefined;
  readonly actorId: string | undefined;
  /** Unix milliseconds, inclusive. */
  readonly from: number | undefined;
  /** Unix milliseconds, exclusive. */
  readonly until: number | undefined;
}

interface AuditRow {
  id: Uint8Array;
  tenant_id: Uint8Array;
  at: number;
  event: string;
  account_id: Uint8Array | null;
  username: string | null;
  actor_id: Uint8Array | null;
  client_address: string;
  request_id: string;
  details: string;
}

const COLUMNS = [
  'r.id',
  'r.tenant_id',
  'r.at',
  'r.event',
  'r.account_id',
  'r.username',
  'r.actor_id',
  'r.client_address',
  'r.request_id',
  'r.details',
];

/** Audit records, newest first. */
export async function selectAuditRecords(
  database: Database,
  { scope, events, accountId, actorId, from, until }: AuditFilter,
  page: Page,
): Promise<{ readonly records: readonly AuditRecord[]; readonly total: number }> {
  const { items: records, total } = await queryPage(
    database,
    {
      from: 'audit_records as r',
      key: 'r.id',
      order: 'desc',
      within: inScope('r.tenant_id', scope),
      matching: (records) => {
        if (events.length > 0) void records.whereIn('r.event', events);
        if (accountId !== undefined) void records.where('r.account_id', idToBytes(accountId));
        if (actorId !== undefined) void records.where('r.actor_id', idToBytes(actorId));
        if (from !== undefined) void records.where('r.at', '>=', from);
        if (until !== undefined) void records.where('r.at', '<', until);
      },
      select: (records) => records.select(COLUMNS),
      read: recordOf,
    },
    page,
  );
  return { records, total };
}

function recordOf(row: AuditRow): AuditRecord {
  return {
    id: bytesToId(row.id),
    tenantId: Buffer.from(row.tenant_id).toString() || undefined,
    at: row.at,
    event: row.event,
    accountId: row.account_id === null ? undefined : bytesToId(row.account_id),
    username: row.username ?? undefined,
    actorId: row.actor_id === null ? undefined : bytesToId(row.actor_id),
    clientAddress: row.client_address,
    requestId: row.request_id,
    details: row.details,
  };
}
