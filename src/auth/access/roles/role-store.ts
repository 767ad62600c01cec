// The roles table: roles of tenants, and with the tenant '' those for every tenant.
import { exactText, integer, optional, optionalTenant, text, time, type Column } from '../../../platform/db/columns.ts';
import { raiseLowestVersion } from '../../../platform/db/lowest-version.ts';
import { acrossTenants, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../../platform/db/record.ts';
import type { Statements } from '../../../platform/db/types.ts';

const names = (name: string): Column<readonly string[], string[]> => ({
  name,
  fromSql: (stored: string) => JSON.parse(stored) as string[],
  toSql: (list) => JSON.stringify(list),
  toMessage: (list) => [...list],
});

const FIXED = {
  /** Undefined for a role for every tenant. */
  tenantId: optionalTenant('tenant_id'),
  name: exactText('name'),
  createdAt: time('created_at'),
};
const FIELDS = {
  description: optional(text('description')),
  permissions: names('permissions'),
  inherits: names('inherits'),
  updatedAt: time('updated_at'),
  /** Increases with every change, from 1. */
  version: integer('version'),
};

export const ROLE = defineRecord('roles', { fixed: FIXED, fields: FIELDS });
/** A role that is not built in. */
export type StoredRole = ValuesOf<typeof FIXED & typeof FIELDS>;

const NONE = Buffer.alloc(0);
const OF_ALL_TENANTS = acrossTenants('the roles for every tenant');

/** The row that locks the roles for every tenant and has their version; see migration 0036. */
const OF_LOCK = `WHERE ${OF_ALL_TENANTS} AND tenant_id = ? AND name = ?`;

/**
 * Locks the roles for every tenant until the transaction ends. Transactions that create a tenant call it first. So a new tenant has all
 * changes, or the change increases its version. It changes a row, because a cluster finds conflicts only between rows that were written.
 * The version stays, so processes do not read the roles again.
 */
export async function lockSharedRoles(tx: Statements): Promise<void> {
  await tx.execute(`UPDATE roles SET updated_at = updated_at + 1 ${OF_LOCK}`, [NONE, NONE]);
}

/** Returns an assignment that increases a version to at least a time, its two values. So a version is never used again. */
export const nextVersion = (column: string) => `${column} = CASE WHEN ${column} >= ? THEN ${column} + 1 ELSE ? END`;

/** Gives the roles for every tenant a new version, and locks them like `lockSharedRoles`. A change of these roles begins with it. */
export async function startSharedVersion(tx: Statements, now: number): Promise<void> {
  await tx.execute(`UPDATE roles SET ${nextVersion('version')} ${OF_LOCK}`, [now, now, NONE, NONE]);
}

/** Returns a role of a tenant, or one for every tenant. */
export async function findRole(
  db: Statements,
  tenantId: string | undefined,
  name: string,
): Promise<StoredRole | undefined> {
  if (name === '') return undefined;
  const [row] = await tenantScope(db, tenantId).query(
    `SELECT ${ROLE.select('r')} FROM roles r WHERE r.tenant_id = :tenant AND r.name = ?`,
    [Buffer.from(name)],
  );
  return row && ROLE.read(row);
}

/** Returns the roles of a tenant or those for every tenant, by name. */
export async function selectRoles(db: Statements, tenantId: string | undefined): Promise<StoredRole[]> {
  const rows = await tenantScope(db, tenantId).query(
    `SELECT ${ROLE.select('r')} FROM roles r WHERE r.tenant_id = :tenant AND r.name > ? ORDER BY r.name`,
    [NONE],
  );
  return rows.map((row) => ROLE.read(row));
}

/** Whether any tenant has a role with this name, or it is for every tenant. */
export async function isRoleUsed(db: Statements, name: string): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1 AS one FROM roles WHERE ${acrossTenants('whether any tenant uses a name')} AND name = ? LIMIT 1`,
    [Buffer.from(name)],
  );
  return rows.length > 0;
}

/** Whether another role inherits a role of a tenant, or one for every tenant. */
export async function isRoleInherited(db: Statements, tenantId: string | undefined, name: string): Promise<boolean> {
  const [where, values] =
    tenantId === undefined
      ? [acrossTenants('whether any tenant inherits a role for every tenant'), []]
      : ['tenant_id = ?', [Buffer.from(tenantId)]];
  const rows = await db.query(`SELECT 1 AS one FROM roles WHERE ${where} AND INSTR(inherits, ?) > 0 LIMIT 1`, [
    ...values,
    JSON.stringify(name),
  ]);
  return rows.length > 0;
}

/** A role of a tenant, without what no other role depends on. */
export type TenantRole = Pick<StoredRole, 'name' | 'permissions' | 'inherits'> & { readonly tenantId: string };

/**
 * Returns roles of tenants by tenant and name, at most `limit`, without those for every tenant.
 *
 * @param after The last role of the previous call.
 */
export async function selectTenantRoles(
  db: Statements,
  limit: number,
  after: Pick<TenantRole, 'tenantId' | 'name'> = { tenantId: '', name: '\u007F' },
): Promise<TenantRole[]> {
  const tenant = Buffer.from(after.tenantId);
  const rows = await db.query<Record<'tenant' | 'name' | 'permissions' | 'inherits', string>>(
    `SELECT CAST(r.tenant_id AS CHAR) AS tenant, CAST(r.name AS CHAR) AS name, r.permissions AS permissions,
        r.inherits AS inherits FROM roles r
      WHERE ${OF_ALL_TENANTS}
        AND r.tenant_id >= ? AND (r.tenant_id > ? OR r.name > ?) ORDER BY r.tenant_id, r.name LIMIT ${limit}`,
    [tenant, tenant, Buffer.from(after.name)],
  );
  return rows.map(({ tenant: tenantId, name, permissions, inherits }) => ({
    tenantId,
    name,
    permissions: JSON.parse(permissions) as string[],
    inherits: JSON.parse(inherits) as string[],
  }));
}

export async function insertRole(tx: Statements, role: StoredRole): Promise<void> {
  await tenantScope(tx, role.tenantId).execute(
    `INSERT INTO roles (${ROLE.names}) VALUES (${ROLE.placeholders})`,
    ROLE.insertValues(role),
  );
  await raiseLowestVersion(tx, 'roles');
}

export async function updateRole(tx: Statements, role: StoredRole): Promise<void> {
  await tenantScope(tx, role.tenantId).execute(
    `UPDATE roles SET ${ROLE.assignments} WHERE tenant_id = :tenant AND name = ?`,
    [...ROLE.updateValues(role), Buffer.from(role.name)],
  );
}

export async function deleteRole(tx: Statements, { tenantId, name }: StoredRole): Promise<void> {
  await tenantScope(tx, tenantId).execute('DELETE FROM roles WHERE tenant_id = :tenant AND name = ?', [
    Buffer.from(name),
  ]);
}
