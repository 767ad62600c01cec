// The formats that rules name: what a value must be, and the fault of one that is not.
import { Format, type FieldRule } from '../../../proto/gen/authservice/rule/v1/rule.ts';
import type { Violation } from '../../errors.ts';
import { FORBIDDEN_CHARACTERS, hasForbiddenCharacters, hasForbiddenNameCharacters } from '../../formats/characters.ts';
import { ID_PATTERN } from '../../formats/id-pattern.ts';
import { hasControlCharacters, hasLength } from '../../request-check.ts';
import { normalizeUsername } from '../../formats/username.ts';

/** A violation without the place where it was found. */
export type Fault = Omit<Violation, 'props'>;

/** A format of texts. */
export interface TextFormat {
  /** Whether a text without a largest length would be unbounded. */
  readonly needsMax: boolean;
  /** The form in which a text is checked, and in which the handler gets it. */
  readonly normalize: (text: string) => string;
  /** Whether an empty text counts as not given. */
  readonly emptyIsAbsent: boolean;
  readonly check: (text: string, rule: FieldRule) => Fault | undefined;
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const SLUG = /^[a-z0-9-]{1,63}$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const CONTROL_CHARACTERS: Fault = { message: 'must not hold control characters', format: 'characters' };
const FORBIDDEN: Fault = { message: FORBIDDEN_CHARACTERS, format: 'characters' };
const NOT_A_SLUG: Fault = {
  message: 'must match [a-z0-9-]{1,63}',
  format: 'pattern',
  params: { pattern: '[a-z0-9-]{1,63}' },
};

/** The formats of texts. */
export const TEXT_FORMATS: ReadonlyMap<Format, TextFormat> = new Map([
  [Format.FORMAT_TEXT, text(noFault)],
  [Format.FORMAT_EMAIL, text(emailFault)],
  [Format.FORMAT_PHONE, text(matching(/\d/, { message: 'must hold digits', format: 'phone' }))],
  [Format.FORMAT_SEARCH, format({ needsMax: true, emptyIsAbsent: true, check: lengthFault })],
  [Format.FORMAT_SORT, format({ emptyIsAbsent: true, check: sortFault })],
  [Format.FORMAT_UUID, format({ check: matching(ID_PATTERN, { message: 'must be an id', format: 'uuid' }) })],
  [
    Format.FORMAT_REFERENCE,
    format({ check: matching(ID_PATTERN, { message: 'names no record', format: 'reference' }) }),
  ],
  [Format.FORMAT_DATE, format({ check: dateFault })],
  [Format.FORMAT_CURRENCY, format({ check: currencyFault })],
  [Format.FORMAT_LABEL, format({ needsMax: true, check: labelFault })],
  [Format.FORMAT_VISIBLE_ASCII, format({ needsMax: true, check: asciiFault })],
  [Format.FORMAT_NAME, text((value) => (hasForbiddenNameCharacters(value) ? FORBIDDEN : undefined))],
  [Format.FORMAT_USERNAME, format({ needsMax: true, normalize: normalizeUsername, check: identifierFault })],
  [Format.FORMAT_PASSWORD, format({ needsMax: true, check: lengthFault })],
  [Format.FORMAT_SLUG, format({ check: matching(SLUG, NOT_A_SLUG) })],
  [
    Format.FORMAT_TENANT,
    format({ check: matching(SLUG, { message: 'must be the id of a tenant', format: 'tenant' }) }),
  ],
]);

/** The formats of google.protobuf.Timestamp. */
export const TIME_FORMATS: ReadonlySet<Format> = new Set([
  Format.FORMAT_TIME,
  Format.FORMAT_TIME_FROM,
  Format.FORMAT_TIME_TO,
]);

/** The fault of a value that is required and not given. */
export const MISSING: Fault = { message: 'is required', format: 'required' };

/** The fault of a number outside its range. */
export function rangeFault(value: unknown, { min, max }: FieldRule): Fault | undefined {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return undefined;
  return { message: `must be between ${min} and ${max}`, format: 'range', params: { minimum: min, maximum: max } };
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

/** The fault of a list that holds the same text twice. */
export const REPEATED: Fault = { message: 'must not hold the same item twice', format: 'uniqueItems' };

/** The fault of a mask that is missing or names other fields. */
export function maskFault(allowed: readonly string[]): Fault {
  return { message: `must name some of ${allowed.join(', ')}`, format: 'fieldMask', params: { allowed } };
}

function format(given: Partial<TextFormat> & Pick<TextFormat, 'check'>): TextFormat {
  return { needsMax: false, normalize: (text) => text, emptyIsAbsent: false, ...given };
}

/** A format of texts for people; `also` checks one of a good length. */
function text(also: TextFormat['check']): TextFormat {
  const check: TextFormat['check'] = (value, rule) =>
    lengthFault(value, rule) ?? (hasControlCharacters(value) ? CONTROL_CHARACTERS : also(value, rule));
  return format({ needsMax: true, normalize: (given) => given.trim(), check });
}

function noFault(): undefined {}

function matching(pattern: RegExp, fault: Fault): TextFormat['check'] {
  return (value) => (pattern.test(value) ? undefined : fault);
}

function lengthFault(value: string, { min, max }: Pick<FieldRule, 'min' | 'max'>): Fault | undefined {
  const minimum = Math.max(min, 1);
  if (hasLength(value, minimum, max)) return undefined;
  return { message: `must have ${minimum} to ${max} characters`, format: 'length', params: { minimum, maximum: max } };
}

function emailFault(value: string): Fault | undefined {
  if (hasForbiddenCharacters(value)) return FORBIDDEN;
  return EMAIL.test(value) ? undefined : { message: 'must be an e-mail address', format: 'email' };
}

function identifierFault(value: string, rule: FieldRule): Fault | undefined {
  return lengthFault(value, rule) ?? (hasForbiddenCharacters(value) ? FORBIDDEN : undefined);
}

/** Kept as given, so not trimmed; but a label of blanks says nothing. */
function labelFault(value: string, rule: FieldRule): Fault | undefined {
  return identifierFault(value.trim() === '' ? '' : value, rule);
}

function sortFault(value: string, { allowed }: FieldRule): Fault | undefined {
  const names = value.split(',').map((key) => key.replace(/^-/, ''));
  if (names.every((name) => allowed.includes(name)) && new Set(names).size === names.length) return undefined;
  const message = `must be some of ${allowed.join(', ')}, each once, with a minus for descending`;
  return { message, format: 'sort', params: { allowed } };
}

function dateFault(value: string): Fault | undefined {
  return isDate(value) ? undefined : { message: 'must be a day, YYYY-MM-DD', format: 'date' };
}

function isDate(value: string): boolean {
  if (!DAY.test(value)) return false;
  // Days that a month does not have are carried into the next by Date.
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function currencyFault(value: string): Fault | undefined {
  return CURRENCIES.has(value) ? undefined : { message: 'must be the code of a currency', format: 'currency' };
}

function asciiFault(value: string, { max }: FieldRule): Fault | undefined {
  if (value.length <= max && VISIBLE_ASCII.test(value)) return undefined;
  return { message: `must have 1 to ${max} visible ASCII characters`, format: 'pattern' };
}
