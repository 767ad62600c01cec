// Values derived from rules and types: defaults, empty messages, names of enums.
import { ScalarType, type DescEnum, type DescField, type DescMessage } from '@bufbuild/protobuf';
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';

const FIELD_MASK = 'google.protobuf.FieldMask';

/** Whether a field holds a google.protobuf.FieldMask, which is an array of paths in TypeScript. */
export function isMask(field: DescField): boolean {
  return field.fieldKind === 'message' && field.message.typeName === FIELD_MASK;
}

/** Whether an absent field is undefined. Other fields have an empty value instead. */
export function hasPresence(field: DescField): boolean {
  return field.fieldKind === 'message' || (field.fieldKind === 'scalar' && field.proto.proto3Optional);
}

/** Returns the names of an enum's values by number, without their common prefix and without the unspecified value. */
export function namesOf({ values }: DescEnum): ReadonlyMap<number, string> {
  const prefix = values[0]!.name.replace(/UNSPECIFIED$/, '');
  return new Map(
    values.filter(({ number }) => number !== 0).map(({ name, number }) => [number, name.slice(prefix.length)]),
  );
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Returns the default of a field; undefined if its rule has none or one that does not fit the type. */
export function defaultOf(field: DescField, { defaultValue }: FieldRule): unknown {
  if (defaultValue === '') return undefined;
  if (field.fieldKind === 'enum') {
    return [...namesOf(field.enum)].find(([, name]) => name === defaultValue)?.[0];
  }
  if (field.fieldKind !== 'scalar') return undefined;
  if (field.scalar === ScalarType.STRING) return defaultValue;
  if (field.scalar === ScalarType.BOOL) return BOOLEANS[defaultValue];
  const number = Number(defaultValue);
  return isWhole(field.scalar) && Number.isInteger(number) ? number : undefined;
}

/** Whether values of a type are whole numbers. */
export function isWhole(scalar: ScalarType): boolean {
  return scalar === ScalarType.INT32 || scalar === ScalarType.INT64;
}

/** Creates an empty message as ts-proto represents it. */
export function emptyMessage({ fields }: DescMessage): Readonly<Record<string, unknown>> {
  const entries = fields
    .filter((field) => field.oneof === undefined && !hasPresence(field))
    .map((field) => [field.localName, emptyValue(field)]);
  return Object.freeze(Object.fromEntries(entries));
}

/** Returns the value of an absent field without presence. */
export function emptyValue(field: DescField): unknown {
  if (field.fieldKind === 'list') return [];
  if (field.fieldKind === 'map') return {};
  if (field.fieldKind === 'enum') return 0;
  if (field.fieldKind === 'message') return undefined;
  if (field.scalar === ScalarType.STRING) return '';
  if (field.scalar === ScalarType.BYTES) return Buffer.alloc(0);
  return field.scalar === ScalarType.BOOL ? false : 0;
}
