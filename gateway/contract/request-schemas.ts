// The JSON schemas of a route's path, query, headers and request body.
import { ScalarType } from '@bufbuild/protobuf';
import { Format, type FieldRule } from '../../proto/gen/authservice/rule/v1/rule.ts';
import type { DescMethod } from '../../src/platform/rpc/contract/descriptors.ts';
import { isWhole } from '../../src/platform/rpc/contract/values.ts';
import { timeParameter } from '../schema/time-bounds.ts';
import { IF_MATCH } from '../http/entity-tags.ts';
import { commentOf } from './contracts.ts';
import { CURSOR_PARAMETERS, PAGE_PARAMETERS } from '../http/paging.ts';
import { documented } from '../schema/documented.ts';
import { innerMessage, isTime, membersOf, responseMembersOf, type Member } from './members.ts';
import { requestMemberSchema, ignored, textOf } from './message-schemas.ts';
import type { BodySemantics } from './request-message.ts';
import type { RequestShape, ResponseShape } from './request-shape.ts';
import { requestValueSchema, nullable, type JsonSchema, ruleTexts } from './value-schemas.ts';

/** Read-only members of every record. A request body may contain them. */
const OF_RECORDS = ['id', 'createdAt', 'updatedAt'];

/** Accepts any text: a malformed id is NOT_FOUND, not a violation. */
export function pathSchema({ record }: RequestShape): JsonSchema {
  const entries = record.map(({ field, name }) => [name, { type: 'string', description: textOf(field, []) }]);
  return { type: 'object', properties: Object.fromEntries(entries) as object };
}

export function querySchema({ page, query, others }: RequestShape, hasBody: boolean): JsonSchema {
  const own = [...query, ...(hasBody ? [] : others)].map((member) => [member.name, parameterSchema(member)]);
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...(page && PAGE_PARAMETERS),
      ...(page?.rule.cursor && CURSOR_PARAMETERS),
      ...(Object.fromEntries(own) as object),
    },
  };
}

/** Query parameters are texts. A boolean is `true` or `false`. */
function parameterSchema({ field, rule, name }: Member): JsonSchema {
  const description = textOf(field, ruleTexts(rule));
  if (isTime(field)) return timeParameter(description) as unknown as JsonSchema;
  if (field.message || field.fieldKind === 'map')
    throw new Error(`${field.parent.typeName}.${field.name}: only a body can have messages and maps, not the query`);
  if (field.scalar === ScalarType.BOOL)
    return {
      enum: ['true', 'false'],
      ...documented({ type: 'boolean', enum: undefined }),
      description,
    };
  if (field.fieldKind === 'list') {
    return { type: 'array', maxItems: rule.items, items: requestValueSchema(field, rule), description };
  }
  const examples = name === 'sort' && { examples: ['-createdAt', `${rule.allowed[0]},-createdAt`] };
  return { ...parameterText(requestValueSchema(field, rule), rule), description, ...examples };
}

/** A blank search text is valid: the core trims it before it searches. */
function parameterText(schema: JsonSchema, { format }: FieldRule): JsonSchema {
  return format === Format.FORMAT_TEXT ? { ...schema, pattern: undefined } : schema;
}

export function headersSchema({ precondition, headers }: RequestShape, more: object): JsonSchema {
  const own = headers.map(({ field, rule }) => [
    rule.header.toLowerCase(),
    { ...requestValueSchema(field, rule), description: textOf(field, ruleTexts(rule)) },
  ]);
  return {
    type: 'object',
    properties: { ...(precondition && IF_MATCH), ...(Object.fromEntries(own) as object), ...more },
  };
}

/** Returns the schema of a request body: the fields of the record and of the request, and ignored read-only members. */
export function bodySchema(
  method: DescMethod,
  shape: RequestShape,
  response: ResponseShape,
  { settable, replaces, creates, strict }: BodySemantics,
): JsonSchema {
  const { fields, mask, others, tenant } = shape;
  const shown = response.kind === 'record' ? responseMembersOf(response.type) : [];
  const given = [...settable, ...others];
  const properties = given.map((member) => {
    const schema = requestMemberSchema(member, named(shown, member.name));
    const isNullable = strict
      ? mask !== undefined && !member.rule.required
      : !(member.rule.required || member === tenant);
    return [member.name, isNullable ? nullable(schema) : schema] as const;
  });
  const isRecord = fields !== undefined || creates;
  const left = isRecord ? [...(fields?.members ?? []), ...shown].map(({ name }) => name) : [];
  const known = strict ? [] : [...left, ...OF_RECORDS];
  const isNeeded = (member: Member) => mask === undefined || replaces || others.includes(member);
  const isOneof = given.some(({ field }) => field.oneof);
  const isRequired = (member: Member) =>
    isNeeded(member) && (member.rule.required || (strict && replaces && member.field.fieldKind === 'list'));
  return {
    type: 'object',
    description: commentOf(method.input.typeName),
    additionalProperties: false,
    properties: {
      ...(Object.fromEntries(properties) as object),
      ...ignored(known.filter((name) => named(given, name) === undefined)),
    },
    required: given.filter(isRequired).map(({ name }) => name),
    ...(isOneof && { minProperties: 1, maxProperties: 1 }),
    examples: [Object.fromEntries(given.flatMap(exampleOf).slice(0, isOneof ? 1 : undefined))],
  };
}

function named(members: readonly Member[], name: string): Member | undefined {
  return members.find((member) => member.name === name);
}

/** Returns a member and its example as an entry of an object. Empty if the field rule has no example. */
export function exampleOf(member: Member): (readonly [name: string, value: unknown])[] {
  const value = exampleValue(member);
  return value === undefined ? [] : [[member.name, value]];
}

function exampleValue({ field, rule }: Member): unknown {
  if (field.fieldKind === 'map') return undefined;
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
  if (rule.format === Format.FORMAT_JSON_OBJECT || field.scalar === ScalarType.BOOL)
    return JSON.parse(rule.example) as unknown;
  const isNumber = rule.format === Format.FORMAT_MONEY || (field.scalar !== undefined && isWhole(field.scalar));
  return isNumber ? Number(rule.example) : rule.example;
}
