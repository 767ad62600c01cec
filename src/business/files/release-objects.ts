// Deletes objects: a transaction records an object as released, and the cleanup deletes it.
import type { Statements } from '../../platform/db/types.ts';
import type { ObjectStore } from '../../platform/files/object-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { insertObjects, markForDeletion, untrackObject, type FreeObject } from './file-object-store.ts';

/** How long a released object stays, in milliseconds. A reader may have read its name but not opened it yet. */
const GRACE_MS = 60_000;
/** Delay before deleting an object is retried, in milliseconds. */
const RETRY_MS = 600_000;

/** Releases objects that no file names after this transaction. */
export async function releaseObjects(
  tx: Statements,
  tenantId: string,
  keys: readonly string[],
  now: number,
): Promise<void> {
  await insertObjects(tx, tenantId, keys, { isDoomed: true, freeAfter: now + GRACE_MS });
}

export type DropDependencies = Dependencies & { readonly objects: ObjectStore };

/** Leaves an object that could not be stored to the cleanup, because it may still appear after the store failed. */
export async function abandonObject({ database, clock }: Dependencies, object: FreeObject): Promise<boolean> {
  return markForDeletion(database, object, clock() + RETRY_MS);
}

/** Deletes an object unless a file has claimed it. Can be repeated after any interruption. */
export async function dropObject(dependencies: DropDependencies, object: FreeObject): Promise<void> {
  const { database, objects } = dependencies;
  if (!(await abandonObject(dependencies, object))) return;
  await objects.remove(object.key);
  await untrackObject(database, object);
}
