// The images of records: attached, shown and freed with the record that they belong to.
import type { Statements } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import { unknownReference } from '../reference.ts';
import type { FileName, Image, Owner, OwnerKind } from './file.ts';
import { attachFile, deleteOwnedFiles, selectImages } from './file-store.ts';
import { releaseObjects } from './release-objects.ts';

/** Staged files as a field of a request names them. */
export interface NamedFiles {
  /** In camel case. */
  readonly field: string;
  readonly files: readonly FileName[];
}

/** Something that images belong to. */
export interface TenantOwner extends Owner {
  readonly tenantId: string;
}

/**
 * Makes staged files an owner's images, in the order given, and returns these. It must have none, and this transaction must
 * have locked it.
 * Throws VALIDATION_ERROR where a file is no staged image any more.
 */
export async function attachFiles(
  tx: Statements,
  { tenantId, ...owner }: TenantOwner,
  { field, files }: NamedFiles,
  now: number,
): Promise<readonly Image[]> {
  if (files.length === 0) return [];
  // In one order for all, so that no two writers wait for each other.
  const inOrder = [...files.entries()].toSorted(([, a], [, b]) => (a.uuid < b.uuid ? -1 : 1));
  for (const [position, file] of inOrder) {
    if (await attachFile(tx, tenantId, file, { ...owner, position }, now)) continue;
    throw new ServiceError('VALIDATION_ERROR', { violations: [unknownReference(field, `${position}`)] });
  }
  return (await readImages(tx, tenantId, [owner.kind], [owner.id]))(owner);
}

/** Deletes the images of an owner that this transaction has locked. */
export async function freeImages(tx: Statements, { tenantId, ...owner }: TenantOwner, now: number): Promise<void> {
  await releaseObjects(tx, tenantId, await deleteOwnedFiles(tx, tenantId, owner), now);
}

/** Makes staged files an owner's only images. Throws as attachFiles does. */
export async function replaceImages(
  tx: Statements,
  owner: TenantOwner,
  named: NamedFiles,
  now: number,
): Promise<readonly Image[]> {
  await freeImages(tx, owner, now);
  return attachFiles(tx, owner, named, now);
}

/** The images of an owner, in the order of their places. */
export type ImagesOf = (owner: Owner) => readonly Image[];

/** The images of several owners. Read them after the records: a version must not be older than what is shown with it. */
export async function readImages(
  db: Statements,
  tenantId: string,
  kinds: readonly OwnerKind[],
  ids: readonly string[],
): Promise<ImagesOf> {
  const nameOf = ({ kind, id }: Owner) => `${kind} ${id}`;
  const images = Map.groupBy(await selectImages(db, tenantId, kinds, ids), ({ owner }) => nameOf(owner));
  return (owner) => (images.get(nameOf(owner)) ?? []).map(({ contentType, size }) => ({ contentType, size }));
}
