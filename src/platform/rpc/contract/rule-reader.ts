// Reads the declared rules of fields and adds the limits of their formats and the names of enums.
import { getOption, type DescField, type FileRegistry } from '@bufbuild/protobuf';
import type { GenExtension } from '@bufbuild/protobuf/codegenv2';
import type { FieldOptions } from '@bufbuild/protobuf/wkt';
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import { TEXT_FORMATS } from './formats.ts';
import { namesOf } from './values.ts';

/** Returns the rules of a field; undefined if it declares none. */
export type ReadRule = (field: DescField) => FieldRule | undefined;

/** Both the descriptor and the generated type of an option are made from its proto. */
type RuleExtension = GenExtension<FieldOptions, FieldRule>;

const FIELD_RULE = 'authservice.rule.v1.field';

/** Creates the reader of the rules of a registry's fields. */
export function createRuleReader(registry: FileRegistry): ReadRule {
  const extension = registry.getExtension(FIELD_RULE) as RuleExtension | undefined;
  if (extension === undefined) return () => undefined;
  const read = (field: DescField): FieldRule | undefined => {
    if (!field.proto.options?.$unknown?.some(({ no }) => no === extension.number)) return undefined;
    const rule = getOption(field, extension);
    const bounds = TEXT_FORMATS.get(rule.format);
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

function enumNames(registry: FileRegistry, name: string): string[] {
  const named = registry.getEnum(name);
  return named ? [...namesOf(named).values()] : [];
}
