/** Gives enums of texts, to which TypeBox gives no type, the type that generated clients need. */
export function withEnumTypes<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withEnumTypes) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withEnumTypes(member)]));
  const { enum: names } = members as { readonly enum?: unknown };
  const isTextEnum = Array.isArray(names) && names.every((name) => typeof name === 'string');
  return (isTextEnum && !('type' in members) ? { type: 'string', ...members } : members) as Value;
}
