// The schemas of messages. Their titles are the messages' names, which makes them components of the OpenAPI document.
import type { DescField, DescMessage } from '../../src/rpc/contract/descriptors.ts';
import { hasPresence } from '../../src/rpc/contract/values.ts';
import { commentOf } from './comments.ts';
import { documented } from '../schema/documented.ts';
import { innerMessage, membersOf, shownMembersOf, type Member } from './members.ts';
import { specialMember } from './special-members.ts';
import { ruleTexts } from './rule-texts.ts';
import { givenSchema, nullable, shownSchema, type JsonSchema } from './value-schemas.ts';

/** The schema of a message that responses show. */
export function shownMessage(type: DescMessage): JsonSchema {
  const members = shownMembersOf(type);
  return {
    title: type.name,
    type: 'object',
    properties: Object.fromEntries(members.map((member) => [member.name, shownMember(member)])),
    required: members.filter(isAlwaysShown).map(({ name }) => name),
  };
}

function isAlwaysShown({ field, rule }: Member): boolean {
  if (rule.required || rule.nullable) return true;
  return field.fieldKind !== 'enum' && !hasPresence(field);
}

function shownMember({ field, rule }: Member): JsonSchema {
  const description = textOf(field, []);
  const special = specialMember(field);
  if (special) return special.schema(description);
  const message = innerMessage(field);
  const one = message ? shownMessage(message) : shownSchema(field, rule);
  if (field.fieldKind === 'list') return { type: 'array', items: one, description };
  // The component of a message is the same in every place.
  if (message) return one;
  return { ...(rule.nullable ? nullable(one) : one), description };
}

/**
 * The schema of a member of a body.
 *
 * @param shown The same member of the response, if it has one.
 */
export function givenMember({ field, rule }: Member, shown: Member | undefined): JsonSchema {
  const description = textOf(field, ruleTexts(rule));
  const message = innerMessage(field);
  const one = message ? givenMessage(message, shown && innerMessage(shown.field)) : givenSchema(field, rule);
  // A part of a oneof is not given if it is empty.
  if (field.oneof) return { ...one, minLength: 1, description };
  if (field.fieldKind !== 'list') return { ...one, description };
  // A set of unnamed enums does not compile in generated Java clients: `roles` holds items called `Role`.
  const unique = rule.unique && documented({ uniqueItems: true });
  const title = rule.unique && 'enum' in one && { title: singular(field.jsonName) };
  return {
    type: 'array',
    ...(rule.required && { minItems: 1 }),
    maxItems: rule.items,
    ...unique,
    items: { ...one, ...title },
    description,
  };
}

/** `roles` as the name of one: `Role`. */
function singular(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/s$/, '')}`;
}

/** The schema of an item that a body holds. What an answer shows of such an item beside its members is ignored. */
function givenMessage(type: DescMessage, shown: DescMessage | undefined): JsonSchema {
  const members = membersOf(type);
  const names = members.map(({ name }) => name);
  const more = shown ? membersOf(shown).map(({ name }) => name) : [];
  const comesBack = names.every((name) => more.includes(name));
  return {
    title: type.name,
    type: 'object',
    additionalProperties: false,
    properties: {
      ...(Object.fromEntries(members.map((member) => [member.name, givenMember(member, undefined)])) as object),
      ...ignored(comesBack ? more.filter((name) => !names.includes(name)) : []),
    },
    required: names,
  };
}

/** Members of a body that are not the caller's to set there: whatever they hold is ignored. */
export function ignored(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { description: 'Ignored.' }]));
}

/** The comment of a field with what its rules add. */
export function textOf(field: DescField, more: readonly string[]): string {
  return [commentOf(`${field.parent.typeName}.${field.name}`), ...more].join(' ');
}
