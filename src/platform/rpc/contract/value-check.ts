// Checks single values: texts, bytes, numbers, times and names of enums.
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import type { Violation } from '../../errors.ts';
import { createViolationList, type ViolationList } from '../errors/violations.ts';
import type { DescField } from './descriptors.ts';
import { rangeFault, rangeOf, timeFault, unknownFault, type Fault, REPEATED } from './faults.ts';
import type { FieldShape } from './field-rules.ts';
import { TEXT_FORMATS, TIME_FORMATS } from './formats.ts';
import { namesOf } from './values.ts';

/** The state of a running check. */
export interface Finder {
  /** Whether the text that names the record is too long for a name. */
  noRecord: boolean;
  /** Undefined until a violation is found. Nearly every message has none. */
  violations: ViolationList | undefined;
}

/** The path to a value, innermost first. */
export interface Path {
  readonly name: string;
  readonly parent: Path | undefined;
}

/** Adds a violation at a path. */
export function report(found: Finder, path: Path | undefined, fault: Omit<Violation, 'props'>): void {
  const violations = (found.violations ??= createViolationList());
  if (violations.full) return violations.skip(1);
  const props: string[] = [];
  for (let at = path; at; at = at.parent) props.unshift(at.name);
  violations.add({ ...fault, props });
}

/** Checks a present value. Returns the handler's value. */
export type ValueCheck = (value: unknown, path: Path | undefined, found: Finder) => unknown;

/**
 * Returns the check of a field's value or of each of its items, if it is not a message; undefined if any value is
 * valid.
 */
export function singleCheck(
  field: DescField,
  { sized, whole, time }: FieldShape,
  rule: FieldRule,
  record: boolean,
): ValueCheck | undefined {
  const text = TEXT_FORMATS[rule.format];
  if (text !== undefined) {
    return textCheck(text.normalize, (value) => text.check(value, rule));
  }
  if (rule.allowed.length > 0) {
    const fault = unknownFault(rule.allowed);
    return textCheck(
      (value) => value,
      (value) => (rule.allowed.includes(value) ? undefined : fault),
    );
  }
  if (sized) return sizeCheck(rule.max, record);
  const range = whole ? rangeOf(rule) : undefined;
  if (range) return faultCheck((value) => rangeFault(value, range));
  if (time && TIME_FORMATS.has(rule.format)) return faultCheck(timeFault);
  return field.enum === undefined ? undefined : enumCheck(field);
}

/** Checks the length of a text or of bytes. If a text that names the record is too long, no record has that name. */
export function sizeCheck(maximum: number, record: boolean): ValueCheck {
  return (value, path, found) => {
    if (isTooLong(value, maximum)) {
      if (record) found.noRecord = true;
      else report(found, path, tooLong(value, maximum));
    }
    return value;
  };
}

function textCheck(normalize: (text: string) => string, faultOf: (text: string) => Fault | undefined): ValueCheck {
  return (value, path, found) => {
    const text = normalize(String(value));
    const fault = faultOf(text);
    if (fault) report(found, path, fault);
    return text;
  };
}

function faultCheck(faultOf: (value: unknown) => Fault | undefined): ValueCheck {
  return (value, path, found) => {
    const fault = faultOf(value);
    if (fault) report(found, path, fault);
    return value;
  };
}

function enumCheck(field: DescField): ValueCheck {
  const names = namesOf(field.enum!);
  const fault = unknownFault([...names.values()]);
  return faultCheck((value) => (names.has(value as number) ? undefined : fault));
}

/** Counts characters only if the number of UTF-16 code units does not decide. */
function isTooLong(value: unknown, maximum: number): boolean {
  if (value instanceof Uint8Array) return value.length > maximum;
  if (typeof value !== 'string' || value.length <= maximum) return false;
  if (value.length > 2 * maximum) return true;
  let characters = 0;
  for (const _character of value) characters += 1;
  return characters > maximum;
}

function tooLong(value: unknown, maximum: number): Fault {
  const unit = typeof value === 'string' ? 'characters' : 'bytes';
  return { message: `must have at most ${maximum} ${unit}`, format: 'length', params: { maximum } };
}

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
