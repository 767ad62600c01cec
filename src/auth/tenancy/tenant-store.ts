// The tenants table.
import type { Deadline } from '../../platform/clock.ts';
import { raiseLowestVersion } from '../../platform/db/lowest-version.ts';
import { given } from '../../platform/db/query/condition.ts';
import type { ListOrder } from '../../platform/db/query/list-order.ts';
import { queryPage } from '../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../platform/db/query/page.ts';
import { containing } from '../../platform/db/query/search-text.ts';
import { acrossTenants } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Row, Statements } from '../../platform/db/types.ts';
import { TENANT, type Tenant, type TenantStatus } from './tenant.ts';

const SELECTED = TENANT.select('t');
/** The definitions of a new tenant are the roles for every tenant, if there are any. */
const FIRST_VERSION = `CASE WHEN EXISTS (SELECT 1 FROM roles WHERE ${acrossTenants('the roles for every tenant')}
  AND tenant_id = ? AND name > ?) THEN ? ELSE 0 END`;
const INSERT = `INSERT INTO tenants (${TENANT.names}, definitions_version) VALUES (${TENANT.placeholders}, ${FIRST_VERSION})`;
const NONE = Buffer.alloc(0);

/**
 * Inserts a tenant in a transaction that has called lockSharedRoles. Rejects with DatabaseError `duplicate` if the id is
 * taken.
 */
export async function insertTenant(db: Statements, tenant: Tenant): Promise<void> {
  await db.execute(INSERT, [...TENANT.insertValues(tenant), NONE, NONE, tenant.createdAt]);
}

export async function tenantExists(db: Statements, id: string): Promise<boolean> {
  return (await findTenant(db, id)) !== undefined;
}

export async function findTenant(db: Statements, id: string): Promise<Tenant | undefined> {
  const [row] = await db.query(`SELECT ${SELECTED} FROM tenants t WHERE t.id = ?`, [Buffer.from(id)]);
  return row && TENANT.read(row);
}

export const TENANT_ORDER: ListOrder = { key: [{ column: 't.id', kind: 'text' }], descending: false };

/** Tenants, ordered by id. */
export async function selectTenants(
  database: Database,
  { query, status }: { readonly query: string | undefined; readonly status: TenantStatus | undefined },
  page: CursorPage,
): Promise<Found<Tenant>> {
  return queryPage(
    database,
    {
      table: 'tenants',
      alias: 't',
      primaryKey: ['id'],
      order: TENANT_ORDER,
      scope: undefined,
      branches: [{ index: 'PRIMARY', matching: [...given(status, 't.status = ?'), ...containing(query)] }],
      columns: SELECTED,
      read: (row: Row) => TENANT.read(row),
    },
    page,
  );
}

/** Sets the status unless it is already set or the deadline has passed. Returns whether it changed. */
export async function updateTenantStatus(
  database: Database,
  tx: Statements,
  { id, status }: Pick<Tenant, 'id' | 'status'>,
  now: number,
  deadline: Deadline,
): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE tenants SET status = ?, updated_at = ? WHERE id = ? AND status <> ? AND ${database.beforeDeadline}`,
    [status, now, Buffer.from(id), status, database.deadlineValue(deadline)],
  );
  return changed > 0;
}

/** Stores a policy as JSON, in a transaction that has begun a change of the tenant's definitions. */
export async function updateTenantPolicy(tx: Statements, id: string, policy: string): Promise<void> {
  const isEmpty = policy === '{}';
  await tx.execute('UPDATE tenants SET policy = ? WHERE id = ?', [isEmpty ? null : policy, Buffer.from(id)]);
  if (!isEmpty) await raiseLowestVersion(tx, 'policies');
}

/** Returns the ids of all tenants. */
export async function selectTenantIds(db: Statements): Promise<string[]> {
  const rows = await db.query<{ readonly id: Uint8Array }>('SELECT id FROM tenants');
  return rows.map(({ id }) => Buffer.from(id).toString());
}

/** Deletes the row of a tenant. Its other rows must have been deleted before. */
export async function deleteTenant(db: Statements, id: string): Promise<void> {
  await db.execute('DELETE FROM tenants WHERE id = ?', [Buffer.from(id)]);
}
