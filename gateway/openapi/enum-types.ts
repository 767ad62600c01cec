/** Adds `type` to enums of texts, because generated clients need it. The schemas of TypeBox and of request bodies omit it. */
export function withEnumTypes<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withEnumTypes) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withEnumTypes(member)]));
  const { enum: names } = members as { readonly enum?: unknown };
  if (!Array.isArray(names) || 'type' in members) return members as Value;
  const texts = names.filter((name) => name !== null);
  if (texts.length === 0 || !texts.every((name) => typeof name === 'string')) return members as Value;
  return { type: texts.length < names.length ? ['string', 'null'] : 'string', ...members } as Value;
}
