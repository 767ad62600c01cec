import type { Statements } from '../platform/db/types.ts';
import type { RequestViolations } from '../platform/rpc/request-violations.ts';
import type { NamedFiles } from './files/attachments.ts';
import { MAX_IMAGES, type FileName } from './files/file.ts';
import { selectStagedImages } from './files/file-store.ts';
import { unknownReference } from './reference.ts';

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
