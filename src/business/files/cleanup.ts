import { UNLIMITED } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';
import { selectFreeObjects } from './file-object-store.ts';
import { type ExpiredFile, deleteFile, lockExpiredFile, selectExpiredFiles, selectSomeFiles } from './file-store.ts';
import { type DropDependencies, dropObject, releaseObjects } from './release-objects.ts';

/**
 * Deletes expired staged files, then objects without a file. If the store fails, the run ends and the next one
 * continues.
 */
export function fileCleanupTargets(dependencies: DropDependencies): readonly CleanupTarget[] {
  const { objects } = dependencies;
  return [
    {
      table: 'files',
      key: ['tenant_id', 'id'],
      expiresAt: ['expires_at'],
      async remove({ now, size }, database) {
        const expired = await selectExpiredFiles(database, now, size);
        for (const file of expired) await expire(database, file, now);
        return expired.length;
      },
    },
    {
      table: 'file_objects',
      key: ['object_key'],
      expiresAt: ['free_after'],
      async remove({ now, size }, database) {
        await objects.sweepUploads();
        const free = await selectFreeObjects(database, now, size);
        for (const object of free) await dropObject({ ...dependencies, database }, object);
        return free.length;
      },
    },
  ];
}

async function expire(database: Database, file: ExpiredFile, now: number): Promise<void> {
  await database.transaction(UNLIMITED, async (tx) => {
    const keys = await lockExpiredFile(tx, file, now);
    if (keys === undefined) return;
    await deleteFile(tx, file.tenantId, file.id);
    await releaseObjects(tx, file.tenantId, keys, now);
  });
}

const BATCH = 100;

/** Deletes all files of a tenant. The cleanup of the service deletes their content from the object store. */
export async function eraseFiles(database: Database, tenantId: string, now: number): Promise<number> {
  let count = 0;
  for (;;) {
    const deleted = await database.transaction(UNLIMITED, async (tx) => {
      const { ids, keys } = await selectSomeFiles(tx, tenantId, BATCH);
      for (const id of ids) await deleteFile(tx, tenantId, id);
      await releaseObjects(tx, tenantId, keys, now);
      return ids.length;
    });
    count += deleted;
    if (deleted < BATCH) return count;
  }
}
