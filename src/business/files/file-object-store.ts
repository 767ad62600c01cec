// The file_objects table: objects in the store that no file names, or may name. An object is recorded here before it is
// written, so that none is ever lost: see docs/decisions/archive/0020-one-object-interface.md.
import { acrossTenants, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../platform/db/types.ts';

/**
 * Records objects, for the cleanup to delete after a time in Unix milliseconds. A file can claim them until then, unless they
 * are doomed: no file names them any more.
 */
export async function insertObjects(
  db: Statements,
  tenantId: string,
  keys: readonly string[],
  { isDoomed, freeAfter }: { readonly isDoomed: boolean; readonly freeAfter: number },
): Promise<void> {
  if (keys.length === 0) return;
  await tenantScope(db, tenantId).execute(
    `INSERT INTO file_objects (object_key, tenant_id, doomed, free_after)
     VALUES ${keys.map(() => '(?, :tenant, ?, ?)').join(', ')}`,
    keys.flatMap((key) => [Buffer.from(key), Number(isDoomed), freeAfter]),
  );
}

/** Claims a recorded object for a file. Returns false if it is marked for deletion: no file may name it any more. */
export async function claimObject(tx: Statements, tenantId: string, key: string): Promise<boolean> {
  const sql = 'DELETE FROM file_objects WHERE tenant_id = :tenant AND object_key = ? AND doomed = 0';
  return (await tenantScope(tx, tenantId).execute(sql, [Buffer.from(key)])) > 0;
}

/** An object marked for deletion. */
export interface FreeObject {
  readonly tenantId: string;
  readonly key: string;
}

const OF_ALL_TENANTS = acrossTenants('the cleanup serves all');

/** Returns objects that are due for deletion, oldest first. */
export async function selectFreeObjects(db: Statements, now: number, size: number): Promise<readonly FreeObject[]> {
  const rows = await db.query<{ tenant_id: Uint8Array; object_key: Uint8Array }>(
    `SELECT tenant_id, object_key FROM file_objects WHERE ${OF_ALL_TENANTS} AND free_after <= ? ORDER BY free_after, object_key LIMIT ${size}`,
    [now],
  );
  return rows.map((row) => ({
    tenantId: Buffer.from(row.tenant_id).toString(),
    key: Buffer.from(row.object_key).toString(),
  }));
}

/** Marks an object for deletion and delays the next attempt. Returns false if a file has claimed it or it is gone. */
export async function markForDeletion(
  db: Statements,
  { tenantId, key }: FreeObject,
  nextAttemptAt: number,
): Promise<boolean> {
  const sql = 'UPDATE file_objects SET doomed = 1, free_after = ? WHERE tenant_id = :tenant AND object_key = ?';
  return (await tenantScope(db, tenantId).execute(sql, [nextAttemptAt, Buffer.from(key)])) > 0;
}

/** Deletes the record of an object that was deleted from the store. */
export async function untrackObject(db: Statements, { tenantId, key }: FreeObject): Promise<void> {
  const sql = 'DELETE FROM file_objects WHERE tenant_id = :tenant AND object_key = ?';
  await tenantScope(db, tenantId).execute(sql, [Buffer.from(key)]);
}
