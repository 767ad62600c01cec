import type { Statements } from '../../platform/db/types.ts';

/**
 * Locks a tenant until the transaction ends, after waiting for other transactions that hold its lock. For rare
 * operations.
 */
export async function lockTenant(tx: Statements, id: string): Promise<void> {
  await tx.execute('UPDATE tenants SET id = id WHERE id = ?', [Buffer.from(id)]);
}
