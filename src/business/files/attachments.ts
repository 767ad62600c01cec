// The images of records: attaching and deleting them with their record.
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { unknownReference } from '../../platform/rpc/tenant.ts';
import { type FileName, type Image, MAX_IMAGES, type Owner } from './file.ts';
import { attachFile, deleteOwnedFiles, selectStagedImages } from './file-store.ts';
import { selectImages } from './image-store.ts';
import { releaseObjects } from './release-objects.ts';
import type { RequestViolations } from '../../platform/rpc/request-violations.ts';

/** The staged files in a field of a request. */
interface NamedFiles {
  /** In camel case. */
  readonly field: string;
  readonly files: readonly FileName[];
}

/** A record that can have images. */
interface TenantOwner extends Owner {
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

/** Adds violations for files that a request attaches to a record. Each must be a staged image and named only once. */
export async function checkStagedFiles(
  violations: RequestViolations,
  database: Statements,
  tenantId: string,
  { field, files }: NamedFiles,
  now: number,
): Promise<void> {
  // The rules already report too many files.
  if (files.length > MAX_IMAGES) return;
  const ids = files.map(({ uuid }) => uuid);
  const left = new Set((await selectStagedImages(database, tenantId, ids, now)).map(nameOf));
  for (const [index, file] of files.entries()) {
    if (!left.delete(nameOf(file))) violations.add(unknownReference(field, `${index}`));
  }
}

function nameOf({ date, uuid }: FileName): string {
  return `${date} ${uuid}`;
}
