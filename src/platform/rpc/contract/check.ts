// Checks messages against the rules of their fields. Each check is compiled once. A list or text beyond its limit is
// not examined further. The message itself does not change: the handler gets a copy if a text was trimmed or a default
// was set.
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import type { Violation } from '../../errors.ts';
import type { DescField, DescMessage, Descriptors } from './descriptors.ts';
import { MISSING, maskFault } from './faults.ts';
import { NO_RULE, shapeOf } from './field-rules.ts';
import { TEXT_FORMATS } from './formats.ts';
import {
  listCheck,
  mapCheck,
  singleCheck,
  sizeCheck,
  type ValueCheck,
  report,
  type Finder,
  type Path,
} from './value-check.ts';
import { defaultOf, emptyMessage, emptyValue, hasPresence, isMask } from './values.ts';

/** Checks a message. */
export type MessageCheck = (message: unknown) => {
  /** The handler's message, if there are no violations. */
  readonly message: unknown;
  /** Whether the text that names the record is too long for a name. */
  readonly noRecord: boolean;
  readonly violations: readonly Violation[];
};

type Fields = Readonly<Record<string, unknown>>;

/** Checks a field of a message. Returns the value that the handler gets. */
type MemberCheck = (message: Fields, path: Path | undefined, found: Finder) => unknown;

interface Member {
  /** The name of the field in TypeScript. Parts of a oneof have none. */
  readonly key: string;
  /** The name of the field in an update mask. */
  readonly path: string;
  readonly check: MemberCheck;
}

const NOTHING: readonly Violation[] = [];

/** Compiles the check of a message type. Its rules must be valid: see requestProblems. */
export function compileCheck(request: DescMessage, { ruleOf }: Pick<Descriptors, 'ruleOf'>): MessageCheck {
  const compiled = new Map<string, readonly Member[]>();

  /** Types can be recursive, so the list of members is registered before it is filled. */
  function membersOf(type: DescMessage, record: boolean): readonly Member[] {
    const key = `${record} ${type.typeName}`;
    const known = compiled.get(key);
    if (known) return known;
    const members: Member[] = [];
    compiled.set(key, members);
    for (const field of type.fields) {
      const check = memberCheck(field, record);
      if (check) members.push({ key: (field.oneof ?? field).localName, path: field.name, check });
    }
    return members;
  }

  function memberCheck(field: DescField, inherited: boolean): MemberCheck | undefined {
    const rule = ruleOf(field) ?? NO_RULE;
    const check = valueCheck(field, rule, inherited || rule.record);
    const at = (path: Path | undefined) =>
      rule.inline ? path : { name: rule.header || field.localName, parent: path };
    if (field.oneof !== undefined) return check && partCheck(field.oneof.localName, field.localName, at, check);
    if (rule.maskedBy !== '') return maskedCheck(field, rule);
    if (isMask(field)) return maskCheck(field, rule, at);
    if (rule.inline && field.message) return inlineCheck(field, check!);
    return presentCheck(field, rule, at, check);
  }

  function valueCheck(field: DescField, rule: FieldRule, record: boolean): ValueCheck | undefined {
    const shape = shapeOf(field);
    const one = shape.message
      ? messageCheck(membersOf(shape.message, record))
      : singleCheck(field, shape, rule, record);
    if (shape.container === 'list') return listCheck(rule, one);
    if (shape.container === 'map') {
      return mapCheck(rule.items, shape.sizedKeys ? sizeCheck(rule.max, record) : undefined, one);
    }
    return one;
  }

  /** Checks only the fields that the mask names. The mask's own check reports a missing or invalid mask. */
  function maskedCheck({ localName, message }: DescField, { maskedBy }: FieldRule): MemberCheck {
    const members = membersOf(message!, false);
    const empty = emptyMessage(message!);
    const mask = request.fields.find(({ name }) => name === maskedBy)!.localName;
    return (holder, path, found) => {
      const meant = (holder[mask] ?? []) as readonly string[];
      const named = members.filter((member) => meant.includes(member.path));
      return checkMembers(named, (holder[localName] ?? empty) as Fields, path, found);
    };
  }

  function maskCheck(field: DescField, rule: FieldRule, at: At): MemberCheck {
    const masked = field.parent.fields.find((other) => ruleOf(other)?.maskedBy === field.name);
    const bounds = listCheck(rule, sizeCheck(rule.max, false));
    const allowed = masked?.message?.fields.map(({ name }) => name);
    return (message, path, found) => {
      const mask = message[field.localName] as readonly string[] | undefined;
      const before = found.violations?.count;
      if (mask) bounds(mask, at(path), found);
      const isFine = allowed === undefined || mask?.every((name) => allowed.includes(name));
      if (!isFine && found.violations?.count === before) report(found, at(path), maskFault(allowed));
      return mask;
    };
  }

  const check = messageCheck(membersOf(request, false));
  return (message) => {
    const found: Finder = { noRecord: false, violations: undefined };
    const checked = check(message, undefined, found);
    const { noRecord, violations } = found;
    return { message: checked, noRecord, violations: violations?.toArray() ?? NOTHING };
  };
}

type At = (path: Path | undefined) => Path | undefined;

/** A oneof, as ts-proto's `unions-value` represents it. */
interface Part {
  readonly $case: string;
  readonly value: unknown;
}

function partCheck(oneof: string, name: string, at: At, check: ValueCheck): MemberCheck {
  return (message, path, found) => {
    const part = message[oneof] as Part | undefined;
    if (part?.$case !== name) return part;
    const value = check(part.value, at(path), found);
    return value === part.value ? part : { ...part, value };
  };
}

/** Checks the fields of an inlined message, and sets their defaults, even if the message is missing. */
function inlineCheck({ localName, message }: DescField, check: ValueCheck): MemberCheck {
  const empty = emptyMessage(message!);
  return (holder, path, found) => check(holder[localName] ?? empty, path, found);
}

/** Checks a field if it is given; otherwise it gets its default, or is reported if it is required. */
function presentCheck(
  field: DescField,
  rule: FieldRule,
  at: At,
  check: ValueCheck | undefined,
): MemberCheck | undefined {
  const byDefault = defaultOf(field, rule);
  if (check === undefined && byDefault === undefined && !rule.required) return undefined;
  const isAbsent = absenceOf(field, rule);
  const absent = byDefault ?? (hasPresence(field) ? undefined : emptyValue(field));
  return (message, path, found) => {
    const value = message[field.localName];
    if (!isAbsent(value)) return check ? check(value, at(path), found) : value;
    if (rule.required && byDefault === undefined) report(found, at(path), MISSING);
    return absent ?? undefined;
  };
}

/** The values of a field that count as missing. */
function absenceOf(field: DescField, rule: FieldRule): (value: unknown) => boolean {
  if (field.fieldKind === 'list') {
    return (value) => value === undefined || (rule.required && (value as readonly unknown[]).length === 0);
  }
  if (field.fieldKind === 'map') {
    return (value) => value === undefined || (rule.required && Object.keys(value as object).length === 0);
  }
  if (field.fieldKind === 'enum') return (value) => value === undefined || value === 0;
  if (TEXT_FORMATS[rule.format]?.emptyIsAbsent === true) return (value) => value === undefined || value === '';
  const empty = rule.defaultValue !== '' && !hasPresence(field) ? emptyValue(field) : undefined;
  return (value) => value === undefined || value === empty;
}

function messageCheck(members: readonly Member[]): ValueCheck {
  return (value, path, found) =>
    typeof value === 'object' && value !== null ? checkMembers(members, value as Fields, path, found) : value;
}

function checkMembers(members: readonly Member[], message: Fields, path: Path | undefined, found: Finder): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const { key, check } of members) {
    const before = message[key];
    const after = check(message, path, found);
    if (after !== before) (copy ??= { ...message })[key] = after;
  }
  return copy ?? message;
}
