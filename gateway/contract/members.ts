// Which fields of a message REST knows, and by which names.
import type { FieldRule } from '../../proto/gen/authservice/rule/v1/rule.ts';
import type { DescField, DescMessage } from '../../src/rpc/contract/descriptors.ts';
import { NO_RULE } from '../../src/rpc/contract/field-rules.ts';
import { contracts } from './contracts.ts';

/** A field of a message, as REST knows it. */
export interface Member {
  /** In JSON, and as a parameter. */
  readonly name: string;
  /** In TypeScript. */
  readonly key: string;
  /** In an update mask. */
  readonly path: string;
  readonly field: DescField;
  readonly rule: FieldRule;
}

/** A message in TypeScript. */
export type Message = Readonly<Record<string, unknown>>;

/** The fields of a message that REST shows. */
export function membersOf({ fields }: DescMessage): readonly Member[] {
  return fields.map(memberOf).filter(({ rule }) => !rule.hidden);
}

/** The fields of a message that a response shows: those of an inlined message count as fields of the message that holds it. */
export function shownMembersOf(type: DescMessage): readonly Member[] {
  return membersOf(type).flatMap((member) => {
    const inlined = inlinedMessage(member);
    return inlined ? shownMembersOf(inlined) : [member];
  });
}

/** The message whose fields count as fields of the message that holds it. */
export function inlinedMessage({ field, rule }: Pick<Member, 'field' | 'rule'>): DescMessage | undefined {
  return rule.inline ? innerMessage(field) : undefined;
}

/** A field with its names. */
export function memberOf(field: DescField): Member {
  const rule = contracts().ruleOf(field) ?? NO_RULE;
  return { name: rule.name || field.jsonName, key: field.localName, path: field.name, field, rule };
}

/** The type of a field's value, or of each of its items, if it is a message of this project. */
export function innerMessage({ message }: DescField): DescMessage | undefined {
  return message?.typeName.startsWith('google.protobuf.') ? undefined : message;
}

/** Whether a field holds a google.protobuf.Timestamp. */
export function isTime({ fieldKind, message }: DescField): boolean {
  return fieldKind === 'message' && message?.typeName === 'google.protobuf.Timestamp';
}
