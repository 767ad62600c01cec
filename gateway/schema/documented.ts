// Keywords of schemas that only the OpenAPI document has. The gateway leaves the decision to the core, which has a better answer.

/** The keyword that holds them. */
export const DOCUMENTED = 'x-documented';

/** Keywords for the document only. */
export function documented(keywords: object): Readonly<Record<string, unknown>> {
  return { [DOCUMENTED]: keywords };
}

/** A copy of a document in which these keywords stand where they belong. */
export function withDocumented<Value>(value: Value): Value {
  return visit(value) as Value;
}

function visit(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(visit);
  if (typeof value !== 'object' || value === null) return value;
  const { [DOCUMENTED]: keywords, ...others } = value as Readonly<Record<string, unknown>>;
  const entries = Object.entries(others).map(([name, member]) => [name, visit(member)]);
  return { ...(Object.fromEntries(entries) as object), ...(keywords as object | undefined) };
}
