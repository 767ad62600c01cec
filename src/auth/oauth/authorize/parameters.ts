// The parameters of an authorization request. An empty one counts as absent (RFC 6749 section 3.1).

/** A name and a value as the request has them, decoded. */
export type Parameter = readonly [name: string, value: string, isMalformed?: boolean];

export interface Parameters {
  /** Returns the value of a parameter that was sent once. Of several, returns the first one. */
  get(name: string): string | undefined;
  getAll(name: string): readonly string[];
  isDoubled(name: string): boolean;
  /** Names that were sent more than once. */
  readonly doubled: readonly string[];
  /** Whether an encoding is malformed, or not UTF-8. */
  readonly isMalformed: boolean;
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
    isMalformed: pairs.some(([, , isMalformed]) => isMalformed),
  };
}

/** Parses application/x-www-form-urlencoded (RFC 6749 appendix B). A parameter whose encoding is malformed, or not UTF-8, says so. */
export function parseParameters(text: string): readonly Parameter[] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): Parameter => {
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair)!;
      const decodedName = decode(name);
      const decodedValue = decode(value);
      return decodedName === undefined || decodedValue === undefined
        ? [name, value, true]
        : [decodedName, decodedValue];
    });
}

/** Returns the text of parameters, to store them or to add them to a URI. */
export function formatParameters(pairs: readonly Parameter[]): string {
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
