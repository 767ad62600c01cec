// The faults that values of any format can have.
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import type { Violation } from '../../errors.ts';

/** A violation without its place. */
export type Fault = Omit<Violation, 'props'>;

const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The fault of a missing required value. */
export const MISSING: Fault = { message: 'is required', format: 'required' };

/** The fault of a list with duplicate texts. */
export const REPEATED: Fault = { message: 'must not hold the same item twice', format: 'uniqueItems' };

/** The minimum and maximum of a number. */
export interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** The bounds of a number; undefined if it has none. */
export function rangeOf({ min, max }: FieldRule): Range | undefined {
  if (min === 0 && max === 0) return undefined;
  return { minimum: min, maximum: max === 0 ? Number.MAX_SAFE_INTEGER : max };
}

/** The fault of a number outside its range. */
export function rangeFault(value: unknown, range: Range): Fault | undefined {
  const { minimum, maximum } = range;
  if (Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum) return undefined;
  return { message: `must be between ${minimum} and ${maximum}`, format: 'range', params: { minimum, maximum } };
}

/** The fault of a time that is not one of 1970-9999. */
export function timeFault(value: unknown): Fault | undefined {
  const time = value instanceof Date ? value.getTime() : Number.NaN;
  if (time >= 0 && time <= MAX_TIME) return undefined;
  return { message: 'must be a time between 1970 and 9999', format: 'date-time' };
}

/** The fault of a value that is not one of several names. */
export function unknownFault(allowed: readonly string[]): Fault {
  return { message: `must be one of ${allowed.join(', ')}`, format: 'enum', params: { allowed } };
}

/** The fault of a mask that is missing or names other fields. */
export function maskFault(allowed: readonly string[]): Fault {
  return { message: `must name some of ${allowed.join(', ')}`, format: 'fieldMask', params: { allowed } };
}

/** The fault of a text that does not have from `minimum` to `maximum` Unicode characters, or is not well-formed. */
export function lengthFault(text: string, minimum: number, maximum: number): Fault | undefined {
  if (hasLength(text, minimum, maximum)) return undefined;
  return { message: `must have ${minimum} to ${maximum} characters`, format: 'length', params: { minimum, maximum } };
}

/** Counts characters only if the number of UTF-16 code units does not decide. */
function hasLength(text: string, minimum: number, maximum: number): boolean {
  if (text.length < minimum || text.length > 2 * maximum || !text.isWellFormed()) return false;
  const characters = [...text].length;
  return characters >= minimum && characters <= maximum;
}
