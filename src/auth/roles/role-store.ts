// The roles table.
import type { Statements } from '../../platform/db/types.ts';
import { acrossTenants } from '../../platform/db/query/tenant-scope.ts';

const NONE = Buffer.alloc(0);

/**
 * Locks the roles for every tenant until the transaction ends; see migration 0036. Transactions that change these roles or create a
 * tenant call it first. So a new tenant has all changes, or the change increases its version. It changes a row, because a cluster
 * finds conflicts only between rows that were written.
 */
export async function lockSharedRoles(tx: Statements): Promise<void> {
  await tx.execute(
    `UPDATE roles SET version = version + 1 WHERE ${acrossTenants('the roles for every tenant')} AND tenant_id = ? AND name = ?`,
    [NONE, NONE],
  );
}
