const PREFIX = '#/components/schemas/';

/** Replaces all references in an OpenAPI document by their schemas. Schemas must not be recursive. */
export function withoutReferences(document: any): any {
  const replace = (value: any): any => {
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    if (typeof value.$ref === 'string') return replace(document.components.schemas[value.$ref.slice(PREFIX.length)]);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replace(member)]));
  };
  return replace(document);
}
