// The end of objects: who frees one writes that down, and the cleanup deletes it.
import type { Clock } from '../../clock.ts';
import type { Database, Statements } from '../../db/types.ts';
import type { ObjectStore } from '../../files/object-store.ts';
import { markForDeletion, untrackObject, insertDoomedObjects, type FreeObject } from './file-object-store.ts';

/** For how long a freed object stays, in milliseconds: somebody may have read its name and not opened it yet. */
const GRACE_MS = 60_000;
/** When an object is tried again that could not be deleted, in milliseconds. */
const RETRY_MS = 600_000;

/** Frees objects that no file names any more from the end of this transaction on. */
export async function releaseObjects(
  tx: Statements,
  tenantId: string,
  keys: readonly string[],
  now: number,
): Promise<void> {
  await insertDoomedObjects(tx, tenantId, keys, now + GRACE_MS);
}

export interface DropDependencies {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly clock: Clock;
}

/** Leaves an object that could not be put to the cleanup: it may be there only after the store has failed. */
export async function abandonObject({ database, clock }: DropDependencies, object: FreeObject): Promise<boolean> {
  return markForDeletion(database, object, clock() + RETRY_MS);
}

/** Deletes an object unless a file has taken it over. It may be called again wherever it was broken off. */
export async function dropObject(dependencies: DropDependencies, object: FreeObject): Promise<void> {
  const { database, objects } = dependencies;
  if (!(await abandonObject(dependencies, object))) return;
  await objects.remove(object.key);
  await untrackObject(database, object);
}
