// The settled_rotations table: one row per batch of rotations that can no longer be set back.
import { idToBytes } from '../../../platform/db/ids.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { CleanupTarget } from '../../../platform/jobs/cleanup.ts';

// Longer than ABANDONED_AFTER_MS and the difference of clocks: later, the age of a rotation is sufficient.
const KEPT_MS = 10 * 60_000;

export const SETTLED_ROTATIONS_CLEANUP: CleanupTarget = {
  table: 'settled_rotations',
  key: ['batch'],
  expiresAt: ['settled_at'],
  keepMs: KEPT_MS,
};

export type SettledRotationStore = ReturnType<typeof createSettledRotationStore>;

export function createSettledRotationStore(database: Database) {
  return {
    /** Stores that all rotations of a batch are settled. Storing it again changes nothing. */
    async add(batch: string, now: number): Promise<void> {
      await database.execute('REPLACE INTO settled_rotations (batch, settled_at) VALUES (?, ?)', [
        idToBytes(batch),
        now,
      ]);
    },
    async has(batch: string): Promise<boolean> {
      const rows = await database.query('SELECT 1 AS one FROM settled_rotations WHERE batch = ?', [idToBytes(batch)]);
      return rows.length > 0;
    },
  };
}
