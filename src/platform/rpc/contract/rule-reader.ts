// Reads the declared rules of fields and adds the limits of their formats and the names of enums.
import { getOption, type DescEnumValue, type DescField, type FileRegistry } from '@bufbuild/protobuf';
import type { GenExtension } from '@bufbuild/protobuf/codegenv2';
import type { EnumValueOptions, FieldOptions } from '@bufbuild/protobuf/wkt';
import type { FieldRule, Format } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import { namesOf } from './values.ts';

/** Returns the rules of a field; undefined if it declares none. */
export type ReadRule = (field: DescField) => FieldRule | undefined;

/** Both the descriptor and the generated type of an option are made from its proto. */
type RuleExtension = GenExtension<FieldOptions, FieldRule>;
type FormatExtension = GenExtension<EnumValueOptions, FieldRule>;

const FIELD_RULE = 'authservice.rule.v1.field';
const FORMAT_RULE = 'authservice.rule.v1.of_format';
const FORMAT = 'authservice.rule.v1.Format';

/** Creates the reader of the rules of a registry's fields. */
export function createRuleReader(registry: FileRegistry): ReadRule {
  const extension = registry.getExtension(FIELD_RULE) as RuleExtension | undefined;
  if (extension === undefined) return () => undefined;
  const formats = readFormatRules(registry);
  const read = (field: DescField): FieldRule | undefined => {
    if (!field.proto.options?.$unknown?.some(({ no }) => no === extension.number)) return undefined;
    const rule = getOption(field, extension);
    const bounds = formats.get(rule.format);
    return {
      ...rule,
      min: rule.min || (bounds?.min ?? 0),
      max: rule.max || (bounds?.max ?? 0),
      allowed: rule.namesOf === '' ? rule.allowed : enumNames(registry, rule.namesOf),
    };
  };
  const cache = new Map<DescField, FieldRule | undefined>();
  return (field) => {
    if (!cache.has(field)) cache.set(field, read(field));
    return cache.get(field);
  };
}

function readFormatRules(registry: FileRegistry): ReadonlyMap<Format, FieldRule> {
  const extension = registry.getExtension(FORMAT_RULE) as FormatExtension | undefined;
  const values: readonly DescEnumValue[] = registry.getEnum(FORMAT)?.values ?? [];
  if (extension === undefined) return new Map();
  return new Map(values.map((value) => [value.number as Format, getOption(value, extension)]));
}

function enumNames(registry: FileRegistry, name: string): string[] {
  const named = registry.getEnum(name);
  return named ? [...namesOf(named).values()] : [];
}
