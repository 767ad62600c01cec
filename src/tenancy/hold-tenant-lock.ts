import type { Statements } from '../db/types.ts';
import { lockTenant } from './tenant-store.ts';

/**
 * Locks a tenant until the transaction ends, after waiting for other transactions that hold its lock. For rare
 * operations.
 */
export async function holdTenantLock(tx: Statements, tenantId: string): Promise<void> {
  await lockTenant(tx, tenantId);
}
