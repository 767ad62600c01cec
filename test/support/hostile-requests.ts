// Requests with any content, made from the types and rules of the fields around a valid request.
import { ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { hasPresence, isMask } from '../../src/platform/rpc/contract/values.ts';
import { anyText } from './texts.ts';

type Fields = Readonly<Record<string, unknown>>;

const { ruleOf } = ownDescriptors();

export const HOSTILE_TEXT = fc.oneof(
  anyText({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    'x\udfff',
    '%',
    '_',
    '\\',
    "'; --",
    '😀'.repeat(200),
    'é'.repeat(400),
    'x'.repeat(70_000),
  ),
);
const DATE = fc.oneof(fc.date({ noInvalidDate: false }), fc.constantFrom(new Date(0), new Date(8.64e15), new Date(-1)));
const INTEGER = fc.oneof(fc.integer(), fc.constantFrom(0, 1, 100, 1_000_000, -2_147_483_648, 2_147_483_647));

/** Texts that mean something in some fields. */
const KNOWN_TEXTS: Readonly<Partial<Record<Format, readonly string[]>>> = {
  [Format.FORMAT_ROLE]: ['SALES', 'ADMIN', 'SUPER_ADMIN', 'ROLE_SALES', 'toString', '__proto__'],
  [Format.FORMAT_TENANT]: ['acme', 'globex'],
  [Format.FORMAT_SLUG]: ['acme', 'globex'],
  [Format.FORMAT_JSON_OBJECT]: ['{}', '[]', 'null', '{"id":{"toString":1}}', '{"__proto__":1}'],
  [Format.FORMAT_SORT]: ['-createdAt', 'createdAt,createdAt', '-', ',', '__proto__'],
  [Format.FORMAT_DATE]: ['2026-02-29', '2026-02-28', '0000-00-00'],
  [Format.FORMAT_MEDIA_TYPE]: ['text/html', 'image/png; charset=x'],
};

/** A request with any content in each field that does not name the record of the call. Some fields are as in the example. */
export function hostileRequest(type: DescMessage, example: Fields = {}): fc.Arbitrary<Fields> {
  const oneofs = type.oneofs.filter(({ fields }) => !fields.some(namesRecord));
  const fields = type.fields.filter((field) => field.oneof === undefined && !namesRecord(field));
  const members = Object.fromEntries([
    ...fields.map((field) => [field.localName, memberOf(type, field, example[field.localName])] as const),
    ...oneofs.map((oneof) => {
      const parts = oneof.fields.map((part) =>
        singleOf(type, part).map((value): unknown => ({ $case: part.localName, value })),
      );
      return [oneof.localName, fc.oneof(fc.constant(example[oneof.localName]), ...parts)] as const;
    }),
  ]);
  return fc.record(members).map((content) => ({ ...example, ...content }));
}

/** The request with any text in place of each id of the record of the call. Undefined if it has none. */
export function hostileRecords(type: DescMessage, example: Fields): fc.Arbitrary<Fields> | undefined {
  const names = type.fields.filter((field) => field.oneof === undefined && namesRecord(field));
  if (names.length === 0) return undefined;
  const texts = names.map((field) => {
    const inner = field.message?.fields.map(({ localName }) => [localName, HOSTILE_TEXT] as const);
    return [field.localName, inner === undefined ? HOSTILE_TEXT : fc.record(Object.fromEntries(inner))] as const;
  });
  return fc.record(Object.fromEntries<fc.Arbitrary<unknown>>(texts)).map((ids) => ({ ...example, ...ids }));
}

function namesRecord(field: DescField): boolean {
  return ruleOf(field)?.record === true;
}

function memberOf(type: DescMessage, field: DescField, example: unknown): fc.Arbitrary<unknown> {
  const hostile =
    field.fieldKind === 'list' ? fc.array(singleOf(type, field), { maxLength: 60 }) : singleOf(type, field, example);
  const absent = hasPresence(field) && !isMask(field) ? [fc.constant(undefined)] : [];
  const kept = example === undefined ? [] : [fc.constant(example)];
  return fc.oneof(hostile, ...kept, ...absent);
}

function singleOf(type: DescMessage, field: DescField, example?: unknown): fc.Arbitrary<unknown> {
  if (isMask(field)) return fc.array(fc.oneof(HOSTILE_TEXT, fc.constantFrom(...maskable(type, field))));
  if (field.message?.typeName === 'google.protobuf.Timestamp') return DATE;
  if (field.message) return hostileRequest(field.message, example as Fields | undefined);
  if (field.enum) return fc.oneof(INTEGER, fc.constantFrom(...field.enum.values.map(({ number }) => number)));
  if (field.scalar === ScalarType.STRING) return textOf(field);
  if (field.scalar === ScalarType.BOOL) return fc.boolean();
  if (field.scalar === ScalarType.BYTES) return fc.uint8Array().map((bytes) => Buffer.from(bytes));
  return INTEGER;
}

function textOf(field: DescField): fc.Arbitrary<string> {
  const { format = Format.FORMAT_UNSPECIFIED, allowed = [] } = ruleOf(field) ?? {};
  const known = [...allowed, ...(KNOWN_TEXTS[format] ?? [])];
  return known.length === 0 ? HOSTILE_TEXT : fc.oneof(HOSTILE_TEXT, fc.constantFrom(...known));
}

/** The paths that a mask of a request can name. */
function maskable({ fields }: DescMessage, mask: DescField): string[] {
  const masked = fields.find((field) => ruleOf(field)?.maskedBy === mask.name);
  return masked?.message?.fields.map(({ name }) => name) ?? [];
}
