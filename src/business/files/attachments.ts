// The images of records: attaching and deleting them with their record.
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { unknownReference } from '../reference.ts';
import type { FileName, Image, Owner } from './file.ts';
import { attachFile, deleteOwnedFiles } from './file-store.ts';
import { selectImages } from './image-store.ts';
import { releaseObjects } from './release-objects.ts';

/** The staged files in a field of a request. */
export interface NamedFiles {
  /** In camel case. */
  readonly field: string;
  readonly files: readonly FileName[];
}

/** A record that can have images. */
export interface TenantOwner extends Owner {
  readonly tenantId: string;
}

/**
 * Attaches staged files to an owner as its images, in the given order, and returns them. The owner must have no images,
 * and this transaction must have locked it. Throws VALIDATION_ERROR if a file is no longer a staged image.
 */
export async function attachFiles(
  tx: Statements,
  { tenantId, ...owner }: TenantOwner,
  { field, files }: NamedFiles,
  now: number,
): Promise<readonly Image[]> {
  if (files.length === 0) return [];
  // Always in the same order, so that writers never deadlock.
  const inOrder = [...files.entries()].toSorted(([, a], [, b]) => (a.uuid < b.uuid ? -1 : 1));
  for (const [position, file] of inOrder) {
    if (await attachFile(tx, tenantId, file, { ...owner, position }, now)) continue;
    throw new ServiceError('VALIDATION_ERROR', { violations: [unknownReference(field, `${position}`)] });
  }
  return selectImages(tx, tenantId, owner);
}

/** Deletes the images of an owner that this transaction has locked. */
export async function freeImages(tx: Statements, { tenantId, ...owner }: TenantOwner, now: number): Promise<void> {
  await releaseObjects(tx, tenantId, await deleteOwnedFiles(tx, tenantId, owner), now);
}

/** Replaces an owner's images with staged files. Throws like attachFiles. */
export async function replaceImages(
  tx: Statements,
  owner: TenantOwner,
  named: NamedFiles,
  now: number,
): Promise<readonly Image[]> {
  await freeImages(tx, owner, now);
  return attachFiles(tx, owner, named, now);
}
