// Lists of audit records. audit-log.ts writes them.
import { idToBytes } from '../../../platform/db/ids.ts';
import type { Condition } from '../../../platform/db/query/condition.ts';
import type { ListOrder } from '../../../platform/db/query/list-order.ts';
import { queryPage, type Branch } from '../../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../../platform/db/query/page.ts';
import {
  acrossTenants,
  scopeCondition,
  tenantBytes,
  type AdminScope,
} from '../../../platform/db/query/tenant-scope.ts';
import { THEN_JOIN, useIndex } from '../../../platform/db/query/hints.ts';
import type { Database, Reader, Row, SqlValue } from '../../../platform/db/types.ts';
import { conditionsOf, type AuditFilter } from './audit-filter.ts';
import { AUDIT_RECORD, SHOWN_AUDIT_RECORD, type AuditRecord, type ShownAuditRecord } from './audit-store.ts';

/** Newest first. Ids break ties. */
export const AUDIT_ORDER: ListOrder = {
  key: [
    { column: 'r.at', kind: 'time' },
    { column: 'r.id', kind: 'id' },
  ],
  descending: true,
};

/** Audit records, newest first. */
export async function selectAuditRecords(
  database: Database,
  filter: AuditFilter,
  page: CursorPage,
): Promise<Found<ShownAuditRecord>> {
  return queryPage(
    database,
    {
      table: 'audit_records',
      alias: 'r',
      primaryKey: ['tenant_id', 'id'],
      order: AUDIT_ORDER,
      scope: filter.scope,
      branches: await branchesOf(database, filter, page.reader),
      columns: SHOWN_AUDIT_RECORD.select('r'),
      read: (row: Row) => SHOWN_AUDIT_RECORD.read(row),
    },
    page,
  );
}

/** A record with its place and its seal; they are undefined if it waits for its seal. */
export interface ExportedRecord extends ShownAuditRecord {
  readonly sequence: number | undefined;
  readonly seal: Uint8Array | undefined;
}

/** Audit records with their seals, oldest first. */
export async function selectRecordsToExport(
  database: Database,
  filter: AuditFilter,
  page: CursorPage,
): Promise<Found<ExportedRecord>> {
  return queryPage(
    database,
    {
      table: 'audit_records',
      alias: 'r',
      primaryKey: ['tenant_id', 'id'],
      order: { ...AUDIT_ORDER, descending: false },
      scope: filter.scope,
      branches: await branchesOf(database, filter, page.reader),
      columns: `${SHOWN_AUDIT_RECORD.select('r')}, r.sequence AS sequence, r.seal AS seal`,
      read: (row: Row) => ({
        ...SHOWN_AUDIT_RECORD.read(row),
        // A record of an earlier release has the place 0 until it is sealed.
        sequence: (row['sequence'] as number | null) || undefined,
        seal: (row['seal'] as Uint8Array | null) ?? undefined,
      }),
    },
    page,
  );
}

/** Returns the record with this id; undefined if it is outside the scope. */
export async function findAuditRecord(
  database: Database,
  scope: AdminScope,
  id: string,
): Promise<ShownAuditRecord | undefined> {
  const within = scopeCondition('r.tenant_id', scope);
  // By the primary key in each tenant: the id alone has no index.
  const [source, values] = scope.everyTenant
    ? [`(SELECT id FROM tenants UNION ALL SELECT ?) t ${THEN_JOIN[database.engine]} `, [tenantBytes(undefined)]]
    : ['', []];
  const [row] = await database.query(
    `SELECT ${SHOWN_AUDIT_RECORD.select('r')} FROM ${source}${useIndex(database, 'audit_records', 'r', 'PRIMARY')}
      WHERE ${within.sql} AND r.id = ?${scope.everyTenant ? ' AND r.tenant_id = t.id' : ''}`,
    [...values, ...within.values, idToBytes(id)],
  );
  return row && SHOWN_AUDIT_RECORD.read(row);
}

/**
 * Audit records that concern an account or that it has caused, newest first. The records that an account without a tenant has
 * caused can belong to every tenant.
 */
export async function selectRecordsOfAccount(
  database: Database,
  { tenantId, id }: { readonly tenantId: string | undefined; readonly id: string },
  page: CursorPage,
): Promise<Found<AuditRecord>> {
  const account = idToBytes(id);
  return queryPage(
    database,
    {
      table: 'audit_records',
      alias: 'r',
      primaryKey: ['tenant_id', 'id'],
      order: AUDIT_ORDER,
      scope: tenantId === undefined ? { everyTenant: true } : { everyTenant: false, tenantId },
      branches: [
        {
          index: INDEXES.account,
          matching: [
            { sql: 'r.tenant_id = ?', values: [tenantBytes(tenantId)] },
            { sql: 'r.account_id = ?', values: [account] },
          ],
        },
        {
          index: INDEXES.actor,
          matching: [
            { sql: 'r.actor_id = ?', values: [account] },
            // The other branch has the record of an account that acts on itself.
            { sql: '(r.account_id IS NULL OR r.account_id <> ?)', values: [account] },
          ],
        },
      ],
      columns: AUDIT_RECORD.select('r'),
      read: (row: Row) => AUDIT_RECORD.read(row),
    },
    page,
  );
}

/** Returns the rows of a filter by the index of its narrowest field. Migration 0034 creates the indexes. */
async function branchesOf(database: Database, filter: AuditFilter, reader: Reader): Promise<readonly Branch[]> {
  const { scope, events, accountId, actorId, address, sessionId, requestId } = filter;
  const kinds = [...new Set(events)];
  const common = conditionsOf(filter);
  const ofKinds = kinds.length === 0 ? [] : [oneOf('r.event', kinds)];
  if (sessionId !== undefined) return [{ index: INDEXES.session, matching: [...common, ...ofKinds] }];
  if (requestId !== undefined) return [{ index: INDEXES.request, matching: [...common, ...ofKinds] }];
  if (actorId !== undefined) return [{ index: INDEXES.actor, matching: [...common, ...ofKinds] }];
  if (accountId !== undefined) {
    const tenants = scope.everyTenant
      ? await findTenantsOf(database, accountId, reader)
      : [tenantBytes(scope.tenantId)];
    if (tenants.length === 0) return [];
    return [{ index: INDEXES.account, matching: [oneOf('r.tenant_id', tenants), ...common, ...ofKinds] }];
  }
  if (address !== undefined && !address.isWide) return [{ index: INDEXES.address, matching: [...common, ...ofKinds] }];
  const { all, events: byEvent } = scope.everyTenant ? INDEXES.everyTenant : INDEXES.oneTenant;
  if (kinds.length === 0) return [{ index: all, matching: common }];
  return kinds.map((kind) => ({ index: byEvent, matching: [...common, { sql: 'r.event = ?', values: [kind] }] }));
}

function oneOf(column: string, values: readonly SqlValue[]): Condition {
  return { sql: `${column} IN (${values.map(() => '?').join(', ')})`, values };
}

const INDEXES = {
  session: ['session_id', 'at', 'id', 'tenant_id'],
  request: ['request_id', 'at', 'id', 'tenant_id'],
  address: ['address', 'at', 'id', 'tenant_id'],
  actor: ['actor_id', 'at', 'id', 'tenant_id'],
  account: ['tenant_id', 'account_id', 'at', 'id', 'event'],
  oneTenant: { all: ['tenant_id', 'at', 'id'], events: ['tenant_id', 'event', 'at', 'id'] },
  everyTenant: { all: ['at', 'id'], events: ['event', 'at', 'id'] },
} as const;

const OF_ALL_TENANTS = acrossTenants('a SUPER_ADMIN administers all');

/** Returns the tenants, '' for none, that have records of an account: usually one, whose index has the order of the list. */
async function findTenantsOf(database: Database, accountId: string, reader: Reader): Promise<readonly Uint8Array[]> {
  const rows = await database.queryLong<{ id: Uint8Array }>(
    `SELECT t.id FROM (SELECT id FROM tenants UNION ALL SELECT ?) t
      WHERE (SELECT 1 FROM ${useIndex(database, 'audit_records', 'r', INDEXES.account)}
              WHERE ${OF_ALL_TENANTS} AND r.tenant_id = t.id AND r.account_id = ? LIMIT 1) IS NOT NULL`,
    [tenantBytes(undefined), idToBytes(accountId)],
    reader,
  );
  return rows.map(({ id }) => id);
}
