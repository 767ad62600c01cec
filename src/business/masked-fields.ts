/** The fields of a record that a checked update mask names. A field that is meant and not given is undefined. */
export function maskedFields<Fields extends object>(fields: Fields, mask: readonly string[]): Partial<Fields> {
  return Object.fromEntries(
    mask.map(toMember).map((member) => [member, fields[member as keyof Fields]]),
  ) as Partial<Fields>;
}

/** `reorder_level` is `reorderLevel` in TypeScript. */
function toMember(path: string): string {
  return path.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
