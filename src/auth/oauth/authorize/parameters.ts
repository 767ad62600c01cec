// The parameters of an authorization request. An empty one counts as absent (RFC 6749 section 3.1).

/** A name and a value as the request has them, decoded. */
export type Parameter = readonly [name: string, value: string];

export interface Parameters {
  /** Returns the value of a parameter that was sent once. Of several, returns the first one. */
  get(name: string): string | undefined;
  getAll(name: string): readonly string[];
  isDoubled(name: string): boolean;
  /** Names that were sent more than once. */
  readonly doubled: readonly string[];
}

export function createParameters(pairs: readonly Parameter[]): Parameters {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  const getAll = (name: string) => (values.get(name) ?? []).filter((value) => value !== '');
  const isDoubled = (name: string) => (values.get(name)?.length ?? 0) > 1;
  return {
    get: (name) => getAll(name)[0],
    getAll,
    isDoubled,
    doubled: [...values.keys()].filter(isDoubled),
  };
}
