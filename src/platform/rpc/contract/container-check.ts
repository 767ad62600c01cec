// Checks lists and maps. A container with too many items is not examined further.
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import { REPEATED } from './faults.ts';
import type { ValueCheck } from './value-check.ts';
import { report, type Finder, type Path } from './violation-finder.ts';

/** Checks a list: its length, each item if the list is short enough, and then uniqueness if the rule requires it. */
export function listCheck({ items: limit, unique }: FieldRule, item: ValueCheck | undefined): ValueCheck {
  return (value, path, found) => {
    if (!Array.isArray(value)) return value;
    if (value.length > limit) {
      report(found, path, tooMany(limit));
      return value;
    }
    const checked = item ? checkItems(value, item, path, found) : value;
    if (unique && new Set(checked).size < checked.length) report(found, path, REPEATED);
    return checked;
  };
}

function checkItems(
  items: readonly unknown[],
  check: ValueCheck,
  path: Path | undefined,
  found: Finder,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const checked = check(item, { name: `${index}`, parent: path }, found);
    if (checked !== item) (copy ??= [...items])[index] = checked;
  }
  return copy ?? items;
}

/** Checks a map: its size, and its keys and values if it is small enough. */
export function mapCheck(limit: number, key: ValueCheck | undefined, item: ValueCheck | undefined): ValueCheck {
  return (value, path, found) => {
    if (typeof value !== 'object' || value === null) return value;
    const keys = Object.keys(value);
    if (keys.length > limit) report(found, path, tooMany(limit));
    else checkEntries(value as Readonly<Record<string, unknown>>, keys, key, item, path, found);
    return value;
  };
}

function checkEntries(
  entries: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  key: ValueCheck | undefined,
  item: ValueCheck | undefined,
  path: Path | undefined,
  found: Finder,
): void {
  for (const name of keys) {
    key?.(name, path, found);
    // The path leaves out a key that is too long, because it would make the response as long.
    item?.(entries[name], key ? path : { name, parent: path }, found);
  }
}

function tooMany(limit: number) {
  return { message: `must have at most ${limit} items`, format: 'maxItems', params: { limit } };
}
