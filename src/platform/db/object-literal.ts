// `new Function` is safe here: it compiles names of columns and members, quoted by JSON.stringify, never a request's text.

/** A member of an object, and how it follows from a value of the source. */
export interface LiteralMember {
  readonly name: string;
  /** The column of the row, the member of the record, or the index of the array. */
  readonly source: string | number;
  /** Default: the value itself. */
  readonly convert?: ((value: unknown) => unknown) | undefined;
}

/** Returns the code of a member of a literal. The name is computed where `__proto__: value` would set the prototype. */
export function memberCode(name: string, value: string): string {
  return name === '__proto__' ? `['__proto__']: ${value}` : `${JSON.stringify(name)}: ${value}`;
}

/**
 * Compiles a function that creates an object from another one or from an array, and from one further value. All its objects have one
 * shape. A loop that sets the members takes three to six times as long: each object grows member by member.
 *
 * @param extra The name of the member with the further value.
 */
export function compileLiteral(
  members: readonly LiteralMember[],
  extra?: string,
): (source: object, further?: unknown) => Record<string, unknown> {
  const values = members.map(({ name, source, convert }, index) => {
    const value = `source[${JSON.stringify(source)}]`;
    return memberCode(name, convert === undefined ? value : `convert${index}(${value})`);
  });
  const all = extra === undefined ? values : [memberCode(extra, 'further'), ...values];
  const converts = members.flatMap(({ convert }, index) => (convert ? [[`convert${index}`, convert] as const] : []));
  // oxlint-disable-next-line typescript/no-implied-eval -- see the first line
  const compile = new Function(
    ...converts.map(([name]) => name),
    `return (source, further) => ({ ${all.join(', ')} })`,
  );
  return compile(...converts.map(([, convert]) => convert)) as ReturnType<typeof compileLiteral>;
}
