import { UNLIMITED } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { deleteFile, selectSomeFiles } from './file-store.ts';
import { releaseObjects } from './release-objects.ts';

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
