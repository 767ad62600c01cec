// The retention of audit records: removes the records of whole seals, and keeps the seals.
import { UNLIMITED } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { Batch, CleanupTarget } from '../../../platform/jobs/cleanup.ts';
import { deleteSealedRecords } from './audit-store.ts';
import { removalMacOf } from '../seals/seal-chain.ts';
import { selectExpiredSeals, storeRemoval } from '../seals/seal-store.ts';

export interface AuditRetention {
  /** The key of the seals. */
  readonly key: Uint8Array;
  /** In milliseconds; 0 keeps the records forever. */
  readonly retentionMs: number;
}

/** Returns the cleanup target for audit records older than the retention; none if they are kept forever. */
export function auditCleanupTargets(retention: AuditRetention): readonly CleanupTarget[] {
  if (retention.retentionMs === 0) return [];
  return [
    {
      table: 'audit_seals',
      key: ['tenant_id', 'number'],
      expiresAt: ['records_at'],
      keepMs: retention.retentionMs,
      remove: ({ now, size }, database) => removeExpired(database, retention, { now, size }),
    },
  ];
}

/** Removes the records of expired seals, about `size` records. Returns fewer than `size` if no expired seal is left. */
async function removeExpired(
  database: Database,
  { key, retentionMs }: AuditRetention,
  { now, size }: Batch,
): Promise<number> {
  return database.transaction(UNLIMITED, async (tx) => {
    let removed = 0;
    for (const seal of await selectExpiredSeals(tx, database, now - retentionMs, size)) {
      const removal = { removedAt: now, keptMs: retentionMs };
      await storeRemoval(tx, seal, { ...removal, mac: removalMacOf(key, seal, removal) });
      const records = await deleteSealedRecords(tx, seal.tenant, seal.firstSequence, seal.lastSequence);
      // A seal can have lost its records by an erasure.
      removed += Math.max(1, records);
      if (removed >= size) break;
    }
    return removed;
  });
}
