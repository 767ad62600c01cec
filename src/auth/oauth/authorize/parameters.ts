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
  /** Names that, or whose values, have an encoding that is malformed, or not UTF-8. */
  readonly malformed: readonly string[];
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
    malformed: pairs.filter(([, , isMalformed]) => isMalformed).map(([name]) => name),
  };
}

/** Parses application/x-www-form-urlencoded (RFC 6749 appendix B). A parameter whose encoding is malformed, or not UTF-8, says so. */
export const parseParameters = (text: string): readonly Parameter[] => pairsOf(text).map(parsePair);

/** Returns the text of parameters without those of some names. The others stay as they came. */
export const withoutParameters = (text: string, names: readonly string[]): string =>
  pairsOf(text)
    .filter((pair) => !names.includes(parsePair(pair)[0]))
    .join('&');

/** Returns the text of parameters, to store them or to add them to a URI. */
export function formatParameters(pairs: readonly Parameter[]): string {
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}

const pairsOf = (text: string): readonly string[] => text.split('&').filter((pair) => pair !== '');

function parsePair(pair: string): Parameter {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair)!;
  const [decodedName, decodedValue] = [decode(name), decode(value)];
  return decodedName === undefined || decodedValue === undefined
    ? [decodedName ?? name, decodedValue ?? value, true]
    : [decodedName, decodedValue];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
