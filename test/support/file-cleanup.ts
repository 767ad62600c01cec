import { fileCleanupTargets } from '../../src/business/files/cleanup.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createObjectStore } from '../../src/platform/files/create-object-store.ts';
import { cleanup } from '../../src/platform/jobs/cleanup.ts';

/** Runs the cleanup of files once, as at `time` (Unix milliseconds). `store` is the value of app.files.store. */
export async function cleanUpFiles(database: Database, store: string, time: number): Promise<void> {
  const objects = await createObjectStore(store, 'my-shop');
  const clock = () => time;
  await cleanup({ database, clock, targets: fileCleanupTargets({ database, objects, clock }) });
  objects.close();
}
