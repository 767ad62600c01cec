// The JSON schemas of messages. Each title is the message's name, so that the schema becomes a component of the OpenAPI document.
import type { DescField, DescMessage } from '../../src/platform/rpc/contract/descriptors.ts';
import { hasPresence } from '../../src/platform/rpc/contract/values.ts';
import { commentOf, contracts, type Contracts } from './contracts.ts';
import { documented } from '../schema/documented.ts';
import { innerMessage, membersOf, responseMembersOf, type Member } from './members.ts';
import { specialMember } from './special-members.ts';
import { requestValueSchema, nullable, responseValueSchema, type JsonSchema, ruleTexts } from './value-schemas.ts';

/** Returns the schema of a message in a response. */
export function responseMessageSchema(type: DescMessage): JsonSchema {
  const members = responseMembersOf(type);
  return {
    title: type.name,
    type: 'object',
    properties: Object.fromEntries(members.map((member) => [member.name, responseMemberSchema(member)])),
    required: members.filter(isAlwaysShown).map(({ name }) => name),
  };
}

function isAlwaysShown({ field, rule }: Member): boolean {
  if (rule.required || rule.nullable) return true;
  if (rule.nonempty) return false;
  return field.fieldKind !== 'enum' && !hasPresence(field);
}

function responseMemberSchema({ field, rule }: Member): JsonSchema {
  const description = textOf(field, []);
  const special = specialMember(field);
  if (special) return special.schema(description);
  const message = innerMessage(field);
  const one = message ? responseMessageSchema(message) : responseValueSchema(field, rule);
  if (field.fieldKind === 'list') return { type: 'array', items: one, description };
  if (field.fieldKind === 'map') return { type: 'object', additionalProperties: one, description };
  // Components are shared, so a message has no description for a single place.
  if (message) return one;
  return { ...(rule.nullable ? nullable(one) : one), description };
}

/**
 * Returns the schema of a member of a request body.
 *
 * @param shown The member of the same name in the response, if there is one.
 */
export function requestMemberSchema({ field, rule }: Member, shown: Member | undefined): JsonSchema {
  const description = textOf(field, ruleTexts(rule));
  const message = innerMessage(field);
  const one = message
    ? requestMessageSchema(message, shown && innerMessage(shown.field))
    : requestValueSchema(field, rule);
  // An empty text of a oneof counts as absent.
  if (field.oneof) return { ...one, ...(one['type'] === 'string' && { minLength: 1 }), description };
  // The core checks the keys: its error does not repeat one that is too long.
  if (field.fieldKind === 'map')
    return {
      type: 'object',
      ...(rule.required && { minProperties: 1 }),
      maxProperties: rule.items,
      additionalProperties: one,
      description,
    };
  if (field.fieldKind !== 'list') return { ...one, description };
  // A set of unnamed enums does not compile in generated Java clients: `roles` holds items called `Role`.
  const unique = rule.unique && documented({ uniqueItems: true });
  const title = rule.unique && 'enum' in one && { title: singular(field.jsonName) };
  return {
    type: 'array',
    ...((rule.required || rule.nonempty) && { minItems: 1 }),
    maxItems: rule.items,
    ...unique,
    items: { ...one, ...title },
    description,
  };
}

/** Returns the type name of an item: `Role` for `roles`. */
function singular(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/s$/, '')}`;
}

/**
 * Returns the schema of a message in a request body: all members are required, but optional scalars. Members that only the response has are
 * ignored.
 */
function requestMessageSchema(type: DescMessage, shown: DescMessage | undefined): JsonSchema {
  const members = membersOf(type);
  const names = members.map(({ name }) => name);
  const more = shown ? membersOf(shown).map(({ name }) => name) : [];
  const comesBack = names.every((name) => more.includes(name));
  return {
    title: responseMessages().has(type) ? `${type.name}Input` : type.name,
    type: 'object',
    additionalProperties: false,
    properties: {
      ...(Object.fromEntries(members.map((member) => [member.name, requestMemberSchema(member, undefined)])) as object),
      ...ignored(comesBack ? more.filter((name) => !names.includes(name)) : []),
    },
    required: members
      .filter(({ field }) => field.fieldKind !== 'scalar' || !hasPresence(field))
      .map(({ name }) => name),
  };
}

const messagesByContracts = new WeakMap<Contracts, ReadonlySet<DescMessage>>();

/** Returns the messages in responses. In a request they have another schema, so they need another name. */
function responseMessages(): ReadonlySet<DescMessage> {
  const all = contracts();
  const known = messagesByContracts.get(all);
  if (known) return known;
  const found = new Set<DescMessage>();
  const visit = (type: DescMessage): void => {
    if (found.has(type)) return;
    found.add(type);
    for (const { field } of membersOf(type)) {
      const message = innerMessage(field);
      if (message) visit(message);
    }
  };
  for (const method of all.methods) if (all.restOf(method)) visit(method.output);
  messagesByContracts.set(all, found);
  return found;
}

/** Returns schemas of read-only members of a request body. Their values are ignored. */
export function ignored(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { description: 'Ignored.' }]));
}

/** Returns the description of a field: its proto comment and further sentences. */
export function textOf(field: DescField, more: readonly string[]): string {
  return [commentOf(`${field.parent.typeName}.${field.name}`), ...more].join(' ');
}
