const PREFIX = '#/components/schemas/';

/** An OpenAPI document with every schema in the places that refer to it. No schema may refer to itself. */
export function withoutReferences(document: any): any {
  const replace = (value: any): any => {
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    if (typeof value.$ref === 'string') return replace(document.components.schemas[value.$ref.slice(PREFIX.length)]);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replace(member)]));
  };
  return replace(document);
}
