import { environmentName, SETTING_NAMES, type SettingName } from './schema.ts';

const normalise = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
const lastPart = (name: string): string => normalise(name.slice(name.lastIndexOf('.') + 1));

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}

/** Returns the setting most similar to an unknown key or variable, if one is clearly the closest. */
function closest(unknown: string): SettingName | undefined {
  const wanted = normalise(unknown).slice(0, 100);
  const ranked = SETTING_NAMES.map((name) => ({ name, distance: distance(wanted, normalise(name)) }));
  const best = ranked.reduce((a, b) => (b.distance < a.distance ? b : a));
  if (best.distance <= Math.max(3, wanted.length / 6)) return best.name;
  const sameEnd = SETTING_NAMES.filter((name) => lastPart(name) === lastPart(unknown));
  return sameEnd.length === 1 ? sameEnd[0] : undefined;
}

/** Returns `; did you mean app.http.port?`, or an empty text. */
export function suggestKey(unknown: string): string {
  const name = closest(unknown);
  return name === undefined ? '' : `; did you mean ${name}?`;
}

/** Returns a suggestion for an environment variable, or an empty text. */
export function suggestVariable(unknown: string): string {
  const name = closest(unknown);
  return name === undefined ? '' : `; did you mean ${environmentName(name)}?`;
}
