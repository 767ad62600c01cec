// Reads what tenants define.
import { acrossTenants } from '../../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../../platform/db/types.ts';

/**
 * The policies and the roles of some tenants and, unless they have the known version, the roles for every tenant, once. One statement,
 * so that all belong to the versions.
 */
const definitionsOf = (
  ids: string,
) => `SELECT CAST(t.id AS CHAR) AS tenant, t.definitions_version AS version, t.policy AS policy,
    NULL AS name, NULL AS permissions, NULL AS inherits, 0 AS is_shared FROM tenants t WHERE t.id IN (${ids})
  UNION ALL SELECT CAST(t.id AS CHAR), 0, NULL, CAST(r.name AS CHAR), r.permissions, r.inherits, 0
    FROM tenants t JOIN roles r ON r.tenant_id = t.id WHERE ${OF_READ_ACCOUNTS} AND t.id IN (${ids})
  UNION ALL SELECT '', s.version, NULL, CAST(r.name AS CHAR), r.permissions, r.inherits, 1
    FROM roles s JOIN roles r ON r.tenant_id = s.tenant_id
    WHERE ${OF_EVERY_TENANT} AND s.tenant_id = ? AND s.name = ? AND s.version <> ?`;

const OF_READ_ACCOUNTS = acrossTenants('the definitions of the tenants whose accounts were read');
const OF_EVERY_TENANT = acrossTenants('the roles for every tenant');
const NONE = Buffer.alloc(0);
/** No version of the roles for every tenant. */
export const NO_VERSION = -1;

export interface DefinitionRow {
  /** Empty for the roles for every tenant. */
  readonly tenant: string;
  /** The version of the tenant, or of the roles for every tenant; 0 in a role of a tenant. */
  readonly version: number;
  readonly policy: string | null;
  /** Null in the row of a tenant. Empty in the row that has the version of the roles for every tenant. */
  readonly name: string | null;
  readonly permissions: string;
  readonly inherits: string;
  readonly is_shared: number;
}

/**
 * Returns the rows of the definitions of these tenants. Each tenant has one row without a name.
 *
 * @param sharedVersion The roles for every tenant are not read if they have this version.
 */
export function selectDefinitions(
  statements: Statements,
  tenantIds: readonly string[],
  sharedVersion: number,
): Promise<DefinitionRow[]> {
  const ids = tenantIds.map((id) => Buffer.from(id));
  const values = [...ids, ...ids, NONE, NONE, sharedVersion];
  return statements.query(definitionsOf(ids.map(() => '?').join(', ')), values);
}
