// Whether a request for audit records wants a file: GET /audit-records is then served as GET /audit-records/export.

export const EXPORT_TYPES = ['text/csv', 'application/x-ndjson'] as const;
type ExportType = (typeof EXPORT_TYPES)[number];

const LIST = /^[^?]*\/api\/v1\/audit-records(?=\?|$)/;

/** Returns the type of a file that a request prefers to JSON (RFC 9110 section 12.5.1); undefined if it prefers none. */
export function exportTypeOf(accept = ''): ExportType | undefined {
  // Almost no request prefers a file.
  if (!/csv|ndjson/i.test(accept)) return undefined;
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.toLowerCase().split(';');
    const weight = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((q) => q !== undefined);
    return { type: type.trim(), weight: weight === undefined ? 1 : Number(weight) };
  });
  const [preferred] = ranges.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return EXPORT_TYPES.find((type) => type === preferred?.type);
}

/** Returns the target of a request, of the export instead of the list if the request wants a file. */
export function withExport(target: string, accept: string | undefined): string {
  return exportTypeOf(accept) === undefined ? target : target.replace(LIST, '$&/export');
}
