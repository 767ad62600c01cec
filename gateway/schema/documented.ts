// Schema keywords for the OpenAPI document only. The gateway does not check them, because the core's errors are more precise.

/** The schema keyword that contains them. */
export const DOCUMENTED = 'x-documented';

/** Marks an operation whose body is optional. */
export const OPTIONAL_BODY = 'x-optional-body';

/** Marks keywords as documentation only. */
export function documented(keywords: object): Readonly<Record<string, unknown>> {
  return { [DOCUMENTED]: keywords };
}

/** Returns a copy of a document with these keywords moved into their schemas. */
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
