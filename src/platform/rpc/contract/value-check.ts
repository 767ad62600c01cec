// Checks single values: texts, bytes, numbers, times and names of enums.
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import type { DescField } from './descriptors.ts';
import type { FieldShape } from './field-rules.ts';
import { rangeFault, rangeOf, timeFault, unknownFault, type Fault } from './faults.ts';
import { TEXT_FORMATS, TIME_FORMATS } from './formats.ts';
import { namesOf } from './values.ts';
import { report, type Finder, type Path } from './violation-finder.ts';

/** Checks a present value. Returns the handler's value. */
export type ValueCheck = (value: unknown, path: Path | undefined, found: Finder) => unknown;

/**
 * Returns the check of a field's value or of each of its items, if it is not a message; undefined if any value is
 * valid.
 */
export function singleCheck(
  field: DescField,
  { sized, whole, time }: FieldShape,
  rule: FieldRule,
  record: boolean,
): ValueCheck | undefined {
  const text = TEXT_FORMATS.get(rule.format);
  if (text !== undefined) {
    return textCheck(text.normalize, (value) => text.check(value, rule));
  }
  if (rule.allowed.length > 0) {
    const fault = unknownFault(rule.allowed);
    return textCheck(
      (value) => value,
      (value) => (rule.allowed.includes(value) ? undefined : fault),
    );
  }
  if (sized) return sizeCheck(rule.max, record);
  const range = whole ? rangeOf(rule) : undefined;
  if (range) return faultCheck((value) => rangeFault(value, range));
  if (time && TIME_FORMATS.has(rule.format)) return faultCheck(timeFault);
  return field.enum === undefined ? undefined : enumCheck(field);
}

/** Checks the length of a text or of bytes. If a text that names the record is too long, no record has that name. */
export function sizeCheck(maximum: number, record: boolean): ValueCheck {
  return (value, path, found) => {
    if (isTooLong(value, maximum)) {
      if (record) found.noRecord = true;
      else report(found, path, tooLong(value, maximum));
    }
    return value;
  };
}

function textCheck(normalize: (text: string) => string, faultOf: (text: string) => Fault | undefined): ValueCheck {
  return (value, path, found) => {
    const text = normalize(String(value));
    const fault = faultOf(text);
    if (fault) report(found, path, fault);
    return text;
  };
}

function faultCheck(faultOf: (value: unknown) => Fault | undefined): ValueCheck {
  return (value, path, found) => {
    const fault = faultOf(value);
    if (fault) report(found, path, fault);
    return value;
  };
}

function enumCheck(field: DescField): ValueCheck {
  const names = namesOf(field.enum!);
  const fault = unknownFault([...names.values()]);
  return faultCheck((value) => (names.has(value as number) ? undefined : fault));
}

/** Counts characters only if the number of UTF-16 code units does not decide. */
function isTooLong(value: unknown, maximum: number): boolean {
  if (value instanceof Uint8Array) return value.length > maximum;
  if (typeof value !== 'string' || value.length <= maximum) return false;
  if (value.length > 2 * maximum) return true;
  let characters = 0;
  for (const _character of value) characters += 1;
  return characters > maximum;
}

function tooLong(value: unknown, maximum: number): Fault {
  const unit = typeof value === 'string' ? 'characters' : 'bytes';
  return { message: `must have at most ${maximum} ${unit}`, format: 'length', params: { maximum } };
}
