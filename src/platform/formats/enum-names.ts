// Enums of the protos by their names without prefix, which is how records store them and JSON shows them.

type LiteralEnum = Readonly<Record<string, number>>;

/** The names of an enum's values, without the prefix and without UNSPECIFIED. */
type EnumName<Enum extends LiteralEnum, Prefix extends string> =
  Extract<keyof Enum, string> extends infer Key
    ? Key extends `${Prefix}${infer Name}`
      ? Exclude<Name, 'UNSPECIFIED'>
      : never
    : never;

export interface EnumNames<Enum extends LiteralEnum, Name extends string> {
  /** In the order of the proto. */
  readonly names: readonly Name[];
  /** The name of a value; undefined for UNSPECIFIED and for numbers without a name. */
  readonly nameOf: (value: Enum[keyof Enum]) => Name | undefined;
  /** The value of a name; UNSPECIFIED without one. */
  readonly valueOf: (name: Name | undefined) => Enum[keyof Enum];
}

/** Makes the translation between an enum's values and their names. */
export function enumNames<Enum extends LiteralEnum, Prefix extends string>(
  values: Enum,
  prefix: Prefix,
): EnumNames<Enum, EnumName<Enum, Prefix>> {
  type Name = EnumName<Enum, Prefix>;
  const entries = Object.entries(values).filter(([key, value]) => key.startsWith(prefix) && value !== 0);
  const byValue = new Map(entries.map(([key, value]) => [value, key.slice(prefix.length) as Name]));
  const byName = new Map([...byValue].map(([value, name]) => [name, value as Enum[keyof Enum]]));
  const unspecified = values[`${prefix}UNSPECIFIED`] as Enum[keyof Enum];
  return {
    names: [...byValue.values()],
    nameOf: (value) => byValue.get(value),
    valueOf: (name) => (name === undefined ? unspecified : byName.get(name)!),
  };
}
