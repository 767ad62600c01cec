/** Returns the fields of a record that a validated update mask names. A masked field without a value is undefined. */
export function maskedFields<Fields extends object>(fields: Fields, mask: readonly string[]): Partial<Fields> {
  return Object.fromEntries(
    mask.map(toMember).map((member) => [member, fields[member as keyof Fields]]),
  ) as Partial<Fields>;
}

/** Converts `reorder_level` to `reorderLevel`. */
function toMember(path: string): string {
  return path.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
