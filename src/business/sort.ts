import type { Sort } from '../db/tenant-page-query.ts';
import type { RequestCheck } from '../request-check.ts';

/** The fields that a list can be sorted by, with their columns. */
export type SortFields = Readonly<Record<string, string>>;

/** Newest first. */
const DEFAULT: readonly Sort[] = [{ column: 'created_at', descending: true }];

/** Reads `-createdAt,name`: a minus means descending. Without any, newest first. */
export function sortOf(check: RequestCheck, sort: string, fields: SortFields): readonly Sort[] {
  if (sort === '') return DEFAULT;
  const keys = sort.split(',').map((key) => ({ name: key.replace(/^-/, ''), descending: key.startsWith('-') }));
  const known = keys.every(({ name }) => Object.hasOwn(fields, name));
  if (known && new Set(keys.map(({ name }) => name)).size === keys.length) {
    return keys.map(({ name, descending }) => ({ column: fields[name]!, descending }));
  }
  check.violate({
    message: `must be some of ${Object.keys(fields).join(', ')}, each once, with a minus for descending`,
    format: 'sort',
    props: ['sort'],
    params: { allowed: Object.keys(fields) },
  });
  return DEFAULT;
}
