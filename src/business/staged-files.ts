import type { Statements } from '../db/types.ts';
import type { RequestCheck } from '../request-check.ts';
import type { NamedFiles } from './file/attachments.ts';
import { MAX_IMAGES, type FileName } from './file/file.ts';
import { selectStagedImages } from './file/file-store.ts';
import { unknownReference } from './reference.ts';

/** Notes what is wrong with files that are to become a record's images: each must be a staged image, and named once. */
export async function checkStagedFiles(
  check: RequestCheck,
  database: Statements,
  tenantId: string,
  { field, files }: NamedFiles,
  now: number,
): Promise<void> {
  if (files.length > MAX_IMAGES) {
    const params = { limit: MAX_IMAGES };
    check.violate({ message: `must have at most ${MAX_IMAGES}`, format: 'maxItems', props: [field], params });
    return;
  }
  const found = await selectStagedImages(
    database,
    tenantId,
    files.map(({ uuid }) => uuid),
    now,
  );
  const left = new Set(found.map(nameOf));
  for (const [index, file] of files.entries()) {
    if (!left.delete(nameOf(file))) check.violate(unknownReference(field, `${index}`));
  }
}

function nameOf({ date, uuid }: FileName): string {
  return `${date} ${uuid}`;
}
