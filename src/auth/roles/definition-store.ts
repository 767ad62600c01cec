// Reads what tenants define.
import { acrossTenants } from '../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../platform/db/types.ts';

/** The roles of some tenants, those for every tenant, and the policies. One statement, so that they belong to the versions. */
const definitionsOf = (
  ids: string,
) => `SELECT CAST(t.id AS CHAR) AS tenant, t.definitions_version AS version, t.policy AS policy,
    NULL AS name, NULL AS permissions, NULL AS inherits, 0 AS is_shared FROM tenants t WHERE t.id IN (${ids})
  UNION ALL SELECT CAST(t.id AS CHAR), 0, NULL, CAST(r.name AS CHAR), r.permissions, r.inherits, 0
    FROM tenants t JOIN roles r ON r.tenant_id = t.id WHERE ${OF_READ_ACCOUNTS} AND t.id IN (${ids})
  UNION ALL SELECT CAST(t.id AS CHAR), 0, NULL, CAST(r.name AS CHAR), r.permissions, r.inherits, 1
    FROM tenants t JOIN roles r ON r.tenant_id = ? AND r.name > ? WHERE ${OF_READ_ACCOUNTS} AND t.id IN (${ids})`;

const OF_READ_ACCOUNTS = acrossTenants('the definitions of the tenants whose accounts were read');
const NONE = Buffer.alloc(0);

export interface DefinitionRow {
  readonly tenant: string;
  readonly version: number;
  readonly policy: string | null;
  readonly name: string | null;
  readonly permissions: string;
  readonly inherits: string;
  readonly is_shared: number;
}

/** Returns the rows of the definitions of these tenants. Each tenant has one row without a name. */
export function selectDefinitions(statements: Statements, tenantIds: readonly string[]): Promise<DefinitionRow[]> {
  const ids = tenantIds.map((id) => Buffer.from(id));
  return statements.query(definitionsOf(ids.map(() => '?').join(', ')), [...ids, ...ids, NONE, NONE, ...ids]);
}
