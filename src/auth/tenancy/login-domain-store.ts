// The login_domains table.
import type { Deadline } from '../../platform/clock.ts';
import { acrossTenants } from '../../platform/db/query/tenant-scope.ts';
import type { Database, SqlValue, Statements } from '../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';

export interface LoginDomain {
  readonly domain: string;
  /** The tenant that owns it. */
  readonly tenantId: string;
}

interface DomainRow {
  domain: Uint8Array;
  tenant_id: Uint8Array;
}

/** The row that locks all usernames and client ids; see migration 0024. */
const NAMESPACE = Buffer.alloc(0);
const OF_ALL_TENANTS = acrossTenants('a login domain belongs to one tenant of all');

/**
 * Locks the owners of all domains and the client ids of applications until the transaction ends. The lock is shared: other
 * transactions may hold it at the same time.
 */
export async function holdNames(database: Database, tx: Statements): Promise<void> {
  await tx.query(`SELECT domain FROM login_domains WHERE ${OF_ALL_TENANTS} AND domain = ? ${database.shareLock}`, [
    NAMESPACE,
  ]);
}

/**
 * Prevents other transactions from creating usernames and client ids, or changing owners of domains, until this one ends. Rejects
 * with DependencyUnavailableError if the deadline has passed.
 */
export async function lockNames(database: Database, tx: Statements, deadline: Deadline): Promise<void> {
  // Both engines lock a row when an UPDATE writes it, even if no value changes.
  const locked = await tx.execute(
    `UPDATE login_domains SET created_at = created_at WHERE ${OF_ALL_TENANTS} AND domain = ? AND ${database.beforeDeadline}`,
    [NAMESPACE, database.deadlineValue(deadline)],
  );
  if (locked === 0) throw new DependencyUnavailableError('the deadline passed before the change');
}

/** Returns the owners of these domains. Domains without an owner are left out. */
export async function selectOwners(db: Statements, domains: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await select(db, 'domain', domains);
  return new Map(found.map(({ domain, tenantId }) => [domain, tenantId]));
}

/** Returns the domains of these tenants, sorted. */
export async function selectDomainsOf(db: Statements, tenantIds: readonly string[]): Promise<readonly LoginDomain[]> {
  return select(db, 'tenant_id', tenantIds);
}

export async function insertLoginDomain(tx: Statements, { domain, tenantId }: LoginDomain, now: number): Promise<void> {
  await tx.execute('INSERT INTO login_domains (domain, tenant_id, created_at) VALUES (?, ?, ?)', [
    Buffer.from(domain),
    Buffer.from(tenantId),
    now,
  ]);
}

export async function deleteLoginDomain(tx: Statements, { domain, tenantId }: LoginDomain): Promise<void> {
  await tx.execute('DELETE FROM login_domains WHERE domain = ? AND tenant_id = ?', [
    Buffer.from(domain),
    Buffer.from(tenantId),
  ]);
}

async function select(
  db: Statements,
  column: 'domain' | 'tenant_id',
  values: readonly string[],
): Promise<readonly LoginDomain[]> {
  if (values.length === 0) return [];
  const rows = await db.query<DomainRow>(
    `SELECT domain, tenant_id FROM login_domains WHERE ${OF_ALL_TENANTS} AND ${column} IN (${values.map(() => '?').join(',')}) ORDER BY domain`,
    values.map((value): SqlValue => Buffer.from(value)),
  );
  return rows.map(({ domain, tenant_id: tenantId }) => ({ domain: textOf(domain), tenantId: textOf(tenantId) }));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
