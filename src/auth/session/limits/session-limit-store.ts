// The session_limits table: which policies were applied to the stored sessions. And the conditions of sessions within policies.
import type { Condition } from '../../../platform/db/query/condition.ts';
import {
  acrossTenants,
  scopeCondition,
  tenantScope,
  type AdminScope,
} from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Reader, Statements } from '../../../platform/db/types.ts';
import type { OwnPolicy } from '../../access/policy/policy-fields.ts';
import { readOwnPolicy } from '../../access/policy/effective-policy.ts';
import { notRevoked } from '../session-list-store.ts';
import type { ListsOfTenants } from './required-factors.ts';

/** A tenant whose policy was not yet applied to its stored sessions. */
export interface PendingLimit {
  readonly tenantId: string;
  readonly version: number;
  readonly own: OwnPolicy;
}

const OF_ALL_TENANTS = acrossTenants('the sessions of all tenants are limited');

/** Returns tenants of a scope whose policy was not yet applied. */
export async function selectPendingLimits(db: Statements, scope: AdminScope, size: number): Promise<PendingLimit[]> {
  const within = scopeCondition('t.id', scope);
  const rows = await db.query<{ tenant: string; version: number; policy: string }>(
    `SELECT CAST(t.id AS CHAR) AS tenant, t.definitions_version AS version, t.policy AS policy FROM tenants t
       LEFT JOIN session_limits l ON l.tenant_id = t.id
      WHERE ${OF_ALL_TENANTS} AND ${within.sql} AND t.policy IS NOT NULL
        AND (l.definitions_version IS NULL OR l.definitions_version <> t.definitions_version) LIMIT ${size}`,
    within.values,
  );
  return rows.map(({ tenant, version, policy }) => ({
    tenantId: tenant,
    version,
    own: readOwnPolicy(JSON.parse(policy)),
  }));
}

/** Stores that the policy of a tenant was applied to all its sessions. */
export async function storeAppliedLimit(
  db: Statements,
  { tenantId, version }: PendingLimit,
  now: number,
): Promise<void> {
  const scope = tenantScope(db, tenantId);
  const changed = await scope.execute(
    'UPDATE session_limits SET definitions_version = ?, applied_at = ? WHERE tenant_id = :tenant',
    [version, now],
  );
  if (changed > 0) return;
  // Another process can have inserted it, which its next run notices.
  await scope.execute(
    `INSERT INTO session_limits (tenant_id, definitions_version, applied_at)
       SELECT :tenant, ?, ? FROM (SELECT 1 AS one) AS once
        WHERE NOT EXISTS (SELECT 1 FROM session_limits WHERE tenant_id = :tenant)`,
    [version, now],
  );
}

/** Whether the policy of any tenant requires a second factor of all. */
export async function isFactorRequiredByAny(db: Statements): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1 AS one FROM tenants WHERE ${OF_ALL_TENANTS} AND policy LIKE '%"secondFactor":"REQUIRED"%' LIMIT 1`,
  );
  return rows.length > 0;
}

const OF_ADMINISTRATORS = `policy LIKE '%"secondFactor":"REQUIRED_FOR_ADMINISTRATORS"%'`;

/** Returns the tenants whose policy requires a second factor of administrators. */
export async function selectRequiringOfAdministrators(db: Statements): Promise<string[]> {
  const rows = await db.query<{ readonly tenant: string }>(
    `SELECT CAST(id AS CHAR) AS tenant FROM tenants WHERE ${OF_ALL_TENANTS} AND ${OF_ADMINISTRATORS}`,
  );
  return rows.map(({ tenant }) => tenant);
}

/** Sessions whose login had a second factor, for the alias `s`. */
export const WITH_FACTOR: Condition = { sql: "s.amr LIKE '%mfa%'", values: [] };

/** Those, and all sessions of tenants that do not require a factor of all. */
export const WITH_FACTOR_WHERE_REQUIRED: Condition = {
  sql: `(${WITH_FACTOR.sql} OR NOT EXISTS
    (SELECT 1 FROM tenants p WHERE p.id = s.tenant_id AND p.policy LIKE '%"secondFactor":"REQUIRED"%'))`,
  values: [],
};

/** Those, and all sessions of accounts with other lists of roles. */
export function withFactorUnless(roles: readonly string[]): Condition {
  return {
    sql: `(${WITH_FACTOR.sql} OR NOT EXISTS (SELECT 1 FROM accounts f WHERE f.tenant_id = s.tenant_id AND f.id = s.account_id
      AND f.roles IN (${roles.map(() => '?').join(', ')})))`,
    values: roles,
  };
}

/**
 * Returns the condition of those, and of all sessions of accounts with other lists of roles, of several tenants.
 *
 * @param isOfAll Whether the lists concern all tenants, and not only those whose own policy requires a factor of administrators.
 */
export function withFactorUnlessOf({ everywhere, ofTenants }: ListsOfTenants, isOfAll: boolean): readonly Condition[] {
  const holds = [
    ...(everywhere.length > 0 ? [`f.roles IN (${everywhere.map(() => '?').join(', ')})`] : []),
    ...(ofTenants.length > 0
      ? [`CONCAT(CAST(f.tenant_id AS CHAR), '/', f.roles) IN (${ofTenants.map(() => '?').join(', ')})`]
      : []),
  ];
  if (holds.length === 0) return [];
  const requires = isOfAll
    ? ''
    : `AND EXISTS (SELECT 1 FROM tenants p WHERE p.id = f.tenant_id AND p.${OF_ADMINISTRATORS})`;
  return [
    {
      sql: `(${WITH_FACTOR.sql} OR NOT EXISTS (SELECT 1 FROM accounts f WHERE f.tenant_id = s.tenant_id AND f.id = s.account_id
        AND (${holds.join(' OR ')}) ${requires}))`,
      values: [...everywhere, ...ofTenants],
    },
  ];
}

/** Returns the condition of sessions whose user is not to be disabled by now. */
export function ofEnabled(now: number): Condition {
  return {
    sql: `NOT EXISTS (SELECT 1 FROM accounts d WHERE d.tenant_id = s.tenant_id AND d.id = s.account_id AND d.disable_at <= ?)`,
    values: [now],
  };
}

/** Sessions that a policy does not end, and those of other tenants. */
export function withinLimits({ tenantId, own }: Omit<PendingLimit, 'version'>, now: number): Condition {
  const since = (seconds: number | undefined) => (seconds === undefined ? 0 : now - seconds * 1000);
  return {
    sql: "(s.tenant_id <> ? OR s.credential_form <> 'COOKIE' OR (s.refreshed_at > ? AND s.created_at > ?))",
    values: [Buffer.from(tenantId), since(own.sessionIdleWindow), since(own.sessionAbsoluteLifetime)],
  };
}

/** Returns the number of open sessions of a tenant that one policy leaves, and another one does not. */
export async function countEnded(
  database: Database,
  tenantId: string,
  policies: { readonly before: readonly Condition[]; readonly after: readonly Condition[] },
  { now, reader }: { readonly now: number; readonly reader: Reader },
): Promise<number> {
  const within = scopeCondition('s.tenant_id', { everyTenant: false, tenantId });
  const left = policies.after.map(({ sql }) => sql).join(' AND ');
  const conditions = [
    within,
    { sql: `${notRevoked('s')} AND s.idle_expires_at > ?`, values: [now] },
    ...policies.before,
    { sql: `(${left}) IS NOT TRUE`, values: policies.after.flatMap(({ values }) => values) },
    { sql: database.whileWanted('s'), values: [] },
  ];
  const [row] = await database.queryLong<{ total: number | string }>(
    `SELECT COUNT(*) AS total FROM session_families s WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    conditions.flatMap(({ values }) => values),
    reader,
  );
  return Number(row!.total);
}
