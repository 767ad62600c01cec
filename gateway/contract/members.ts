// The fields of a message that REST exposes, and their names.
import { ScalarType } from '@bufbuild/protobuf';
import type { FieldRule } from '../../proto/gen/authservice/rule/v1/rule.ts';
import type { DescField, DescMessage } from '../../src/platform/rpc/contract/descriptors.ts';
import { NO_RULE } from '../../src/platform/rpc/contract/field-rules.ts';
import { contracts } from './contracts.ts';

/** A field of a message that REST exposes. */
export interface Member {
  /** Name in JSON, and as a parameter. */
  readonly name: string;
  /** Name in TypeScript. */
  readonly key: string;
  /** Name in an update mask. */
  readonly path: string;
  readonly field: DescField;
  readonly rule: FieldRule;
}

/** A message as a plain object, with the names of TypeScript. */
export type Message = Readonly<Record<string, unknown>>;

/** Returns the fields of a message that are not hidden from REST. */
export function membersOf({ fields }: DescMessage): readonly Member[] {
  return fields.map(memberOf).filter(({ rule }) => !rule.hidden);
}

/** Returns the members of a response. Fields of an inlined message count as fields of the message that contains it. */
export function responseMembersOf(type: DescMessage): readonly Member[] {
  return membersOf(type).flatMap((member) => {
    const inlined = inlinedMessage(member);
    return inlined ? responseMembersOf(inlined) : [member];
  });
}

/** Returns the type of an inlined field: its fields count as fields of the containing message. Undefined if it is not inlined. */
export function inlinedMessage({ field, rule }: Pick<Member, 'field' | 'rule'>): DescMessage | undefined {
  return rule.inline ? innerMessage(field) : undefined;
}

/** Returns a field with its names and its rule. */
export function memberOf(field: DescField): Member {
  const rule = contracts().ruleOf(field) ?? NO_RULE;
  return { name: rule.name || field.jsonName, key: field.localName, path: field.name, field, rule };
}

/** Returns the type of a field's value or of its items. Undefined if it is not a message of this project. */
export function innerMessage({ message }: DescField): DescMessage | undefined {
  return message?.typeName.startsWith('google.protobuf.') ? undefined : message;
}

/** Whether the type of a field is google.protobuf.Timestamp. */
export function isTime({ fieldKind, message }: DescField): boolean {
  return fieldKind === 'message' && message?.typeName === 'google.protobuf.Timestamp';
}

/** Whether the type of a field is bool. */
export function isBoolean({ scalar }: DescField): boolean {
  return scalar === ScalarType.BOOL;
}

/** Returns a map with converted values. `fromEntries` defines each key, also `__proto__`. */
export function mapValues(map: Message, convert: (value: unknown) => unknown): Message {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, convert(value)]));
}
