// The images of records, in the files table. In lists, they are a column of the record's row: one text instead of a further
// statement.
import { selected, type Column } from '../../platform/db/columns.ts';
import { idToBytes } from '../../platform/db/ids.ts';
import { byUniqueIndex } from '../../platform/db/query/hints.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../platform/db/types.ts';
import type { Image, Owner, OwnerKind } from './file.ts';

// Without it, InnoDB's optimizer reads all files of the tenant for each row if its statistics are outdated.
const FILES_BY_OWNER = byUniqueIndex('files', ['tenant_id', 'owner_kind', 'owner_id', 'position']);

/**
 * The images of a record, from the same moment as its row: `size type,size type`, in the order of their places, or NULL.
 * The sessions of MySQL permit the longest text.
 */
export function images(kind: OwnerKind): Column<readonly Image[], Image[]> {
  return selected(
    (owner) => `(SELECT GROUP_CONCAT(CONCAT(size, ' ', content_type) ORDER BY position) FROM ${FILES_BY_OWNER}
            WHERE tenant_id = :tenant AND owner_kind = '${kind}' AND owner_id = ${owner}.id)`,
    parseImages,
    (list) => [...list],
  );
}

const NONE: readonly Image[] = [];

function parseImages(column: string | null): readonly Image[] {
  if (column === null) return NONE;
  return column.split(',').map((image) => {
    const end = image.indexOf(' ');
    return { contentType: image.slice(end + 1), size: Number(image.slice(0, end)) };
  });
}

/** Returns the images of an owner, in the order of their places. */
export async function selectImages(db: Statements, tenantId: string, { kind, id }: Owner): Promise<readonly Image[]> {
  const rows = await tenantScope(db, tenantId).query<{ content_type: string; size: number }>(
    `SELECT content_type, size FROM files WHERE tenant_id = :tenant AND owner_kind = ? AND owner_id = ? ORDER BY position`,
    [kind, idToBytes(id)],
  );
  return rows.map((row) => ({ contentType: row.content_type, size: row.size }));
}
