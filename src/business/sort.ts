import type { Sort } from '../platform/db/query/tenant-page-query.ts';

/** Columns to sort by, for fields whose column has another name. */
export type SortColumns = Readonly<Record<string, string>>;

/** Newest first. */
const DEFAULT: readonly Sort[] = [{ column: 'created_at', descending: true }];

/** Parses a validated sort order such as `-createdAt,name`; a minus means descending. Default: newest first. */
export function parseSort(sort: string, columns: SortColumns = {}): readonly Sort[] {
  if (sort === '') return DEFAULT;
  return sort.split(',').map((key) => {
    const field = key.replace(/^-/, '');
    return { column: columns[field] ?? columnOf(field), descending: key.startsWith('-') };
  });
}

/** Converts `createdAt` to `created_at`. */
function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
