import type { Sort } from '../db/query/tenant-page-query.ts';

/** Columns of fields to sort by, if a field has another than that of its name. */
export type SortColumns = Readonly<Record<string, string>>;

/** Newest first. */
const DEFAULT: readonly Sort[] = [{ column: 'created_at', descending: true }];

/** Parses a checked `-createdAt,name`: a minus means descending. Without any, newest first. */
export function parseSort(sort: string, columns: SortColumns = {}): readonly Sort[] {
  if (sort === '') return DEFAULT;
  return sort.split(',').map((key) => {
    const field = key.replace(/^-/, '');
    return { column: columns[field] ?? columnOf(field), descending: key.startsWith('-') };
  });
}

/** `createdAt` is `created_at` in the database. */
function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
