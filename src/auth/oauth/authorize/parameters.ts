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

/** Parses application/x-www-form-urlencoded. Returns undefined if an encoding is malformed, or not UTF-8. */
export function parseParameters(text: string): readonly Parameter[] | undefined {
  try {
    return text
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair): Parameter => {
        const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair)!;
        return [decode(name), decode(value)];
      });
  } catch {
    return undefined;
  }
}

/** Returns the text of parameters, to store them or to add them to a URI. */
export function formatParameters(pairs: readonly Parameter[]): string {
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
