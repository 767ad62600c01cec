// Examples of request bodies. The documentation page offers to send them.
import { Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { isWhole } from '../../src/platform/rpc/contract/values.ts';
import { innerMessage, membersOf, type Member } from './members.ts';

/** Returns a member and its example as an entry of an object. Empty if the field rule has no example. */
export function exampleOf(member: Member): (readonly [name: string, value: unknown])[] {
  const value = exampleValue(member);
  return value === undefined ? [] : [[member.name, value]];
}

function exampleValue({ field, rule }: Member): unknown {
  const message = innerMessage(field);
  if (message) {
    const entries = membersOf(message).flatMap(exampleOf);
    if (entries.length === 0) return undefined;
    const one = Object.fromEntries(entries);
    return field.fieldKind === 'list' ? [one] : one;
  }
  if (rule.example === '') return undefined;
  const one = singleExample(field, rule);
  return field.fieldKind === 'list' ? [one] : one;
}

function singleExample(field: Member['field'], rule: Member['rule']): unknown {
  const isNumber = rule.format === Format.FORMAT_MONEY || (field.scalar !== undefined && isWhole(field.scalar));
  return isNumber ? Number(rule.example) : rule.example;
}
