import type { Statements } from '../db/types.ts';
import { lockTenant } from './tenant-store.ts';

/** Waits until no other transaction holds the lock of this tenant, and holds it until the transaction ends. For rare operations. */
export async function holdTenantLock(tx: Statements, tenantId: string): Promise<void> {
  await lockTenant(tx, tenantId);
}
