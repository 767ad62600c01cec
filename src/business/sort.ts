import type { Sort } from '../db/query/tenant-page-query.ts';

/** The fields that a list can be sorted by, with their columns. */
export type SortFields = Readonly<Record<string, string>>;

/** Newest first. */
const DEFAULT: readonly Sort[] = [{ column: 'created_at', descending: true }];

/** Parses a checked `-createdAt,name`: a minus means descending. Without any, newest first. */
export function parseSort(sort: string, fields: SortFields): readonly Sort[] {
  if (sort === '') return DEFAULT;
  return sort.split(',').map((key) => ({ column: fields[key.replace(/^-/, '')]!, descending: key.startsWith('-') }));
}
