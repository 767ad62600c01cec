// Which fields of a record a body means.

/** The fields of a record in JSON, with their paths in an update mask. */
export type FieldPaths = Readonly<Record<string, string>>;

/** What a PATCH means: the fields that its body has. */
export function namedFields(body: object, paths: FieldPaths): string[] {
  return Object.keys(paths)
    .filter((name) => Object.hasOwn(body, name))
    .map((name) => paths[name]!);
}

/** What a PUT means: every field but some that it leaves as they are, whatever its body has. */
export function allFieldsBut(left: readonly string[], paths: FieldPaths): string[] {
  return Object.keys(paths)
    .filter((name) => !left.includes(name))
    .map((name) => paths[name]!);
}
