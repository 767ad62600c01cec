import type { Statements } from '../db/types.ts';
import { lockTenant } from './tenant-store.ts';

/** Waits until no other transaction has a turn in this tenant; this one's lasts until it ends. For what happens seldom. */
export async function takeTurns(tx: Statements, tenantId: string): Promise<void> {
  await lockTenant(tx, tenantId);
}
