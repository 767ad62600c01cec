// Checks of a message against the bounds that its fields declare: compiled once, run for every message. Nothing is copied, and
// what is beyond a bound is not looked into.
import type { FieldRule } from '../../../proto/gen/authservice/rule/v1/rule.ts';
import type { Violation } from '../../errors.ts';
import { createViolationList, type ViolationList } from '../violations.ts';
import type { DescField, DescMessage, Descriptors } from './descriptors.ts';
import { shapeOf } from './field-bounds.ts';

/** What a check has found. */
export interface Findings {
  /** Whether a text that names the record is too long to name one. */
  readonly noRecord: boolean;
  readonly violations: readonly Violation[];
}

/** Checks a message; undefined if it keeps all bounds. */
export type MessageCheck = (message: unknown) => Findings | undefined;

interface Finder {
  noRecord: boolean;
  readonly violations: ViolationList;
}

/** The path to a value, innermost first. */
interface Path {
  readonly name: string;
  readonly parent: Path | undefined;
}

type ValueCheck = (value: unknown, path: Path | undefined, found: Finder) => void;

/** Compiles the check of a message type. Its rules must fit: see boundProblems. */
export function compileCheck(request: DescMessage, { ruleOf }: Pick<Descriptors, 'ruleOf'>): MessageCheck {
  const compiled = new Map<string, ValueCheck>();

  /** Types may contain themselves, so a check is registered before its members are compiled. */
  function messageCheck(type: DescMessage, record: boolean): ValueCheck {
    const key = `${record} ${type.typeName}`;
    const known = compiled.get(key);
    if (known) return known;
    let members: readonly ValueCheck[] = [];
    const check: ValueCheck = (value, path, found) => {
      if (typeof value !== 'object' || value === null) return;
      for (const member of members) member(value, path, found);
    };
    compiled.set(key, check);
    members = type.fields.flatMap((field) => memberCheck(field, record) ?? []);
    return check;
  }

  /** The check of a field, given the message that holds it. */
  function memberCheck(field: DescField, inherited: boolean): ValueCheck | undefined {
    const rule = ruleOf(field);
    const check = fieldCheck(field, rule, inherited || rule?.record === true);
    if (check === undefined) return undefined;
    const name = field.localName;
    const at = (path: Path | undefined) => (rule?.inline === true ? path : { name, parent: path });
    const oneof = field.oneof?.localName;
    if (oneof === undefined) {
      return (message, path, found) => {
        const value = (message as Readonly<Record<string, unknown>>)[name];
        if (value !== undefined) check(value, at(path), found);
      };
    }
    return (message, path, found) => {
      const part = (message as Readonly<Record<string, Part | undefined>>)[oneof];
      if (part?.$case === name) check(part.value, at(path), found);
    };
  }

  function fieldCheck(field: DescField, rule: FieldRule | undefined, record: boolean): ValueCheck | undefined {
    const { container, sized, sizedKeys, message } = shapeOf(field);
    const one = message ? messageCheck(message, record) : sized ? sizeCheck(rule!.max, record) : undefined;
    if (container === 'list') return listCheck(rule!.items, one);
    if (container === 'map') return mapCheck(rule!.items, sizedKeys ? sizeCheck(rule!.max, record) : undefined, one);
    return one;
  }

  const check = messageCheck(request, false);
  return (message) => {
    const found: Finder = { noRecord: false, violations: createViolationList() };
    check(message, undefined, found);
    const { noRecord, violations } = found;
    return noRecord || violations.count > 0 ? { noRecord, violations: violations.toArray() } : undefined;
  };
}

/** A oneof, as ts-proto's `unions-value` represents it. */
interface Part {
  readonly $case: string;
  readonly value: unknown;
}

function sizeCheck(maximum: number, record: boolean): ValueCheck {
  return (value, path, found) => {
    if (!isTooLong(value, maximum)) return;
    if (record) found.noRecord = true;
    else report(found, path, tooLong(value, maximum));
  };
}

function listCheck(limit: number, item: ValueCheck | undefined): ValueCheck {
  return (value, path, found) => {
    if (!Array.isArray(value)) return;
    if (value.length > limit) report(found, path, tooMany(limit));
    else if (item) value.forEach((each, index) => item(each, { name: `${index}`, parent: path }, found));
  };
}

function mapCheck(limit: number, key: ValueCheck | undefined, item: ValueCheck | undefined): ValueCheck {
  return (value, path, found) => {
    if (typeof value !== 'object' || value === null) return;
    const keys = Object.keys(value);
    if (keys.length > limit) return report(found, path, tooMany(limit));
    for (const name of keys) {
      key?.(name, path, found);
      // A path does not show a key that is too long: it would make the answer as long.
      item?.((value as Readonly<Record<string, unknown>>)[name], key ? path : { name, parent: path }, found);
    }
  };
}

/** Counts characters only where the number of UTF-16 code units does not decide. */
function isTooLong(value: unknown, maximum: number): boolean {
  if (value instanceof Uint8Array) return value.length > maximum;
  if (typeof value !== 'string' || value.length <= maximum) return false;
  if (value.length > 2 * maximum) return true;
  let characters = 0;
  for (const _character of value) characters += 1;
  return characters > maximum;
}

function tooLong(value: unknown, maximum: number): Violation {
  const unit = typeof value === 'string' ? 'characters' : 'bytes';
  return { message: `must have at most ${maximum} ${unit}`, format: 'length', params: { maximum } };
}

function tooMany(limit: number): Violation {
  return { message: `must have at most ${limit} items`, format: 'maxItems', params: { limit } };
}

function report({ violations }: Finder, path: Path | undefined, violation: Violation): void {
  if (violations.full) return violations.skip(1);
  const props: string[] = [];
  for (let at = path; at; at = at.parent) props.unshift(at.name);
  violations.add({ ...violation, props });
}
