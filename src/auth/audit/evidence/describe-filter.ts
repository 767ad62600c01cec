import type { AuditFilterRequest } from '../trail/audit-filter.ts';

/** Returns a filter as the query of GET /audit-records, for the record of an export. */
export function describeFilter(filter: AuditFilterRequest): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) query.append(name, textOf(item));
  }
  return query.toString();
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
