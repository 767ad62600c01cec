// The JSON schemas of single values in requests and responses.
import { ScalarType } from '@bufbuild/protobuf';
import { type FieldRule, Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import type { DescField } from '../../src/platform/rpc/contract/descriptors.ts';
import { SLUG_PATTERN } from '../../src/platform/formats/names.ts';
import { rangeOf } from '../../src/platform/rpc/contract/faults.ts';
import { isWhole, namesOf } from '../../src/platform/rpc/contract/values.ts';
import { EMAIL, FILE_NAME, IDENTIFIER, MEDIA_TYPE, NAME, NEW_PASSWORD, TEXT } from '../schema/text-patterns.ts';
import { DOCUMENTED, documented } from '../schema/documented.ts';
import { isTime } from './members.ts';

/** A JSON schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type ToSchema = (rule: FieldRule) => JsonSchema;

const CONTROLS = String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F`;
const PHONE = `^[^${CONTROLS}]*[0-9][^${CONTROLS}]*$`;

/** Schemas by format. Keywords in `documented` are checked by the core only, because its errors are more precise. */
const FORMAT_SCHEMAS: ReadonlyMap<Format, ToSchema> = new Map<Format, ToSchema>([
  [
    Format.FORMAT_TEXT,
    ({ max }) => ({ minLength: 1, maxLength: max, pattern: '\\S', ...documented({ pattern: TEXT }) }),
  ],
  [Format.FORMAT_EMAIL, ({ min, max }) => ({ minLength: min, maxLength: max, ...documented({ pattern: EMAIL }) })],
  [Format.FORMAT_PHONE, ({ max }) => ({ maxLength: max, pattern: '[0-9]', ...documented({ pattern: PHONE }) })],
  [
    Format.FORMAT_LABEL,
    ({ max }) => ({ minLength: 1, maxLength: max, pattern: '\\S', ...documented({ pattern: IDENTIFIER }) }),
  ],
  [Format.FORMAT_SEARCH, ({ max }) => ({ minLength: 1, maxLength: max })],
  [Format.FORMAT_SORT, ({ allowed }) => ({ minLength: 1, ...documented({ pattern: sortPattern(allowed) }) })],
  [Format.FORMAT_UUID, () => ({ minLength: 1, ...documented({ format: 'uuid' }) })],
  [Format.FORMAT_DATE, () => ({ format: 'date' })],
  [
    Format.FORMAT_CURRENCY,
    () => ({ pattern: '^[A-Z]{3}$', ...documented({ enum: Intl.supportedValuesOf('currency') }) }),
  ],
  [
    Format.FORMAT_NAME,
    ({ max }) => ({ minLength: 1, maxLength: max, pattern: '\\S', ...documented({ pattern: NAME }) }),
  ],
  [Format.FORMAT_USERNAME, ({ max }) => documented({ minLength: 1, maxLength: max, pattern: IDENTIFIER })],
  [
    Format.FORMAT_PASSWORD,
    ({ min, max }) =>
      documented({
        minLength: Math.max(min, 1),
        maxLength: max,
        format: 'password',
        // A current password can be older than the policy, so it has no minimum.
        ...(min > 1 && { pattern: NEW_PASSWORD }),
      }),
  ],
  [
    Format.FORMAT_FILE_NAME,
    ({ max }) => ({ minLength: 1, maxLength: max, pattern: '\\S', ...documented({ pattern: FILE_NAME }) }),
  ],
  [
    Format.FORMAT_MEDIA_TYPE,
    ({ max }) => ({ minLength: 1, maxLength: max, pattern: '\\S', ...documented({ pattern: MEDIA_TYPE }) }),
  ],
  [Format.FORMAT_SLUG, () => documented({ pattern: SLUG_PATTERN.source })],
  [Format.FORMAT_TENANT, () => documented({ pattern: SLUG_PATTERN.source })],
  [Format.FORMAT_VISIBLE_ASCII, ({ max }) => ({ pattern: `^[!-~]{1,${max}}$` })],
]);

const RESPONSE_FORMATS: ReadonlyMap<Format, JsonSchema> = new Map([[Format.FORMAT_DATE, { format: 'date' }]]);

/** Returns the schema of a text in a request body or query. */
export function textSchema(rule: FieldRule): JsonSchema {
  if (rule.allowed.length > 0 && rule.format !== Format.FORMAT_SORT) return requestEnumSchema(rule.allowed);
  return { type: 'string', ...FORMAT_SCHEMAS.get(rule.format)?.(rule) };
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
  if (field.scalar === ScalarType.BOOL) return { type: 'boolean' };
  if (field.scalar !== undefined && isWhole(field.scalar)) return integerSchema(rule);
  return textSchema(rule);
}

/** Returns the schema of a value in a response, unless it is a message. */
export function responseValueSchema(field: DescField, rule: FieldRule): JsonSchema {
  if (field.enum) return enumSchema([...namesOf(field.enum).values()]);
  if (isTime(field)) return { type: 'string', format: 'date-time' };
  if (rule.format === Format.FORMAT_MONEY) return { type: 'number' };
  if (field.scalar === ScalarType.BOOL) return { type: 'boolean' };
  if (field.scalar !== undefined && isWhole(field.scalar)) return { type: 'integer' };
  if (rule.allowed.length > 0) return enumSchema(rule.allowed);
  return { type: 'string', ...RESPONSE_FORMATS.get(rule.format) };
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

function integerSchema(rule: FieldRule): JsonSchema {
  return { type: 'integer', ...rangeOf(rule) };
}

/** Returns the pattern of texts such as `-createdAt,name`, without repeated names. */
function sortPattern(names: readonly string[]): string {
  const key = `-?(?:${names.join('|')})`;
  return String.raw`^(?!(?:.*,)?-?(\w+),(?:.*,)?-?\1(?:,|$))${key}(?:,${key})*$`;
}
