// The JSON schemas of single values in requests and responses.
import { ScalarType } from '@bufbuild/protobuf';
import { type FieldRule, Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import type { DescField } from '../../src/platform/rpc/contract/descriptors.ts';
import { TEXT_FORMATS } from '../../src/platform/rpc/contract/formats.ts';
import { NO_RULE } from '../../src/platform/rpc/contract/field-rules.ts';
import { rangeOf } from '../../src/platform/rpc/contract/faults.ts';
import { isWhole, namesOf } from '../../src/platform/rpc/contract/values.ts';
import { DOCUMENTED, documented } from '../schema/documented.ts';
import { isTime } from './members.ts';

/** A JSON schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A text in a message of the core, an object in REST. */
const JSON_OBJECT: JsonSchema = { type: 'object', additionalProperties: true };

/** Returns the schema of a text in a request body or query. */
export function textSchema(rule: FieldRule): JsonSchema {
  if (rule.allowed.length > 0 && rule.format === Format.FORMAT_UNSPECIFIED) return requestEnumSchema(rule.allowed);
  const format = TEXT_FORMATS[rule.format];
  const keywords = format?.documented(rule) ?? (rule.max > 0 ? { maxLength: rule.max } : {});
  return { type: 'string', ...format?.schema(rule), ...(Object.keys(keywords).length > 0 && documented(keywords)) };
}

/** Returns the schema of a value in a request, unless it is a message. */
export function requestValueSchema(field: DescField, rule: FieldRule): JsonSchema {
  if (field.enum) return requestEnumSchema([...namesOf(field.enum).values()]);
  if (isTime(field)) return { type: 'string', format: 'date-time' };
  if (rule.format === Format.FORMAT_MONEY) {
    return {
      type: 'number',
      minimum: rule.min / 100,
      maximum: rule.max / 100,
      format: 'money',
      ...documented({ multipleOf: 0.01 }),
    };
  }
  if (rule.format === Format.FORMAT_JSON_OBJECT) return JSON_OBJECT;
  if (field.scalar === ScalarType.BOOL) return { type: 'boolean' };
  // `max` of a map is the bound of its keys.
  if (field.scalar !== undefined && isWhole(field.scalar))
    return integerSchema(field.fieldKind === 'map' ? NO_RULE : rule, field.scalar);
  assertNoBytes(field);
  return textSchema(rule);
}

/** Returns the schema of a value in a response, unless it is a message. */
export function responseValueSchema(field: DescField, rule: FieldRule): JsonSchema {
  if (field.enum) return enumSchema([...namesOf(field.enum).values()]);
  if (isTime(field)) return { type: 'string', format: 'date-time' };
  if (rule.format === Format.FORMAT_MONEY) return { type: 'number' };
  if (rule.format === Format.FORMAT_JSON_OBJECT) return JSON_OBJECT;
  if (field.scalar === ScalarType.BOOL) return { type: 'boolean' };
  if (field.scalar !== undefined && isWhole(field.scalar)) return { type: 'integer' };
  if (rule.allowed.length > 0 && rule.format === Format.FORMAT_UNSPECIFIED) return enumSchema(rule.allowed);
  assertNoBytes(field);
  return { type: 'string', ...(rule.format === Format.FORMAT_DATE && { format: 'date' }) };
}

interface Nullable {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly [DOCUMENTED]?: JsonSchema;
}

/** Returns a copy of a schema that also allows null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: names, [DOCUMENTED]: keywords } = schema as Nullable;
  return {
    ...schema,
    ...(type && { type: [type, 'null'] }),
    ...(names && { enum: [...names, null] }),
    ...(keywords && documented(nullable(keywords))),
  };
}

/** Without `type`, so that a value of another type causes one violation instead of two. withEnumTypes adds it to the document. */
function requestEnumSchema(names: readonly string[]): JsonSchema {
  return { enum: [...names] };
}

function enumSchema(names: readonly string[]): JsonSchema {
  return { type: 'string', enum: [...names] };
}

/** A number without bounds has those of its type. */
function integerSchema(rule: FieldRule, scalar: ScalarType): JsonSchema {
  const ofType =
    scalar === ScalarType.INT32
      ? { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }
      : { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  return { type: 'integer', ...(rangeOf(rule) ?? ofType) };
}

function assertNoBytes({ scalar, parent, name }: DescField): void {
  if (scalar === ScalarType.BYTES)
    throw new Error(
      `${parent.typeName}.${name}: bytes have no representation in JSON; set hidden, or leave out google.api.http`,
    );
}

/** Returns the sentences that describe the rules of a field, to be added to its comment. */
export function ruleTexts(rule: FieldRule): string[] {
  const ofDefault = rule.defaultValue === '' ? '' : `Default ${rule.defaultValue}.`;
  return [TEXT_FORMATS[rule.format]?.sentence(rule) ?? '', ofDefault].filter((text) => text !== '');
}
