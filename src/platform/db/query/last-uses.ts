// When credentials of accounts were last used.
import { UNLIMITED } from '../../clock.ts';
import { idToBytes } from '../ids.ts';
import type { Database } from '../types.ts';
import { tenantScope } from './tenant-scope.ts';

/** A use of a credential. */
export interface CredentialUse {
  readonly key: { readonly tenantId: string | undefined; readonly ownerId: string; readonly id: string };
  /** Unix milliseconds. */
  readonly at: number;
}

const USES_PER_TRANSACTION = 100;

/** Stores when credentials were last used, in a table with the column last_used_at. Never sets a time back. */
export async function updateLastUses(
  database: Database,
  { table, owner }: { readonly table: string; readonly owner: string },
  uses: readonly CredentialUse[],
): Promise<void> {
  const update = `UPDATE ${table} SET last_used_at = ?
    WHERE tenant_id = :tenant AND ${owner} = ? AND id = ? AND (last_used_at IS NULL OR last_used_at < ?)`;
  // Always in the same order, so that two processes never deadlock. Few per transaction, so that others do not wait
  // long.
  const ordered = uses.toSorted((a, b) => (a.key.id < b.key.id ? -1 : 1));
  for (let start = 0; start < ordered.length; start += USES_PER_TRANSACTION) {
    await database.transaction(UNLIMITED, async (tx) => {
      for (const { key, at } of ordered.slice(start, start + USES_PER_TRANSACTION)) {
        await tenantScope(tx, key.tenantId).execute(update, [at, idToBytes(key.ownerId), idToBytes(key.id), at]);
      }
    });
  }
}
