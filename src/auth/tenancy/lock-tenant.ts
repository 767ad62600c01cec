// The locks of a tenant's row. `tenants.definitions_version` belongs to them: a change of what a tenant defines, its roles or its policy,
// begins with a new version. All processes then read the definitions again, because their lookups of accounts read the version.
import type { Deadline } from '../../platform/clock.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError } from '../../platform/errors.ts';
import { nextVersion, startSharedVersion } from '../access/roles/definitions.ts';

/**
 * Locks a tenant until the transaction ends, after waiting for other transactions that hold its lock. For rare
 * operations.
 */
export async function lockTenant(tx: Statements, id: string): Promise<void> {
  await tx.execute('UPDATE tenants SET id = id WHERE id = ?', [Buffer.from(id)]);
}

const TOO_LATE = 'the deadline passed before the change';

/** A version is never used again, also by a tenant that was erased and created again. */
const NEXT = nextVersion('definitions_version');

/**
 * Gives a tenant a new version, which locks its row until the transaction ends. Call it first: what the transaction reads after that
 * does not change. Throws NOT_FOUND if there is no such tenant, and DependencyUnavailableError if the deadline has passed.
 */
export async function beginDefinitionsChange(
  database: Database,
  tx: Statements,
  { tenantId, now, deadline }: { readonly tenantId: string; readonly now: number; readonly deadline: Deadline },
): Promise<void> {
  const id = Buffer.from(tenantId);
  const changed = await tx.execute(`UPDATE tenants SET ${NEXT} WHERE id = ? AND ${database.beforeDeadline}`, [
    now,
    now,
    id,
    database.deadlineValue(deadline),
  ]);
  if (changed > 0) return;
  const [found] = await tx.query('SELECT 1 AS one FROM tenants WHERE id = ?', [id]);
  throw found ? new DependencyUnavailableError(TOO_LATE) : new ServiceError('NOT_FOUND');
}

/**
 * Gives the roles for every tenant and all tenants a new version, which locks their rows until the transaction ends. Throws
 * DependencyUnavailableError if the deadline has passed.
 */
export async function beginChangeForAll(
  database: Database,
  tx: Statements,
  { now, deadline }: { readonly now: number; readonly deadline: Deadline },
): Promise<void> {
  await startSharedVersion(tx, now);
  const changed = await tx.execute(`UPDATE tenants SET ${NEXT} WHERE ${database.beforeDeadline}`, [
    now,
    now,
    database.deadlineValue(deadline),
  ]);
  if (changed > 0) return;
  const [found] = await tx.query('SELECT 1 AS one FROM tenants LIMIT 1', []);
  if (found) throw new DependencyUnavailableError(TOO_LATE);
}

/** Waits for changes of a tenant's definitions, and prevents them until the transaction ends. */
export async function holdDefinitions(database: Database, tx: Statements, tenantId: string): Promise<void> {
  await tx.query(`SELECT definitions_version FROM tenants WHERE id = ? ${database.shareLock}`, [Buffer.from(tenantId)]);
}
