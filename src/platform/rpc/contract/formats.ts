// The formats of field rules. An entry has everything about a format: its bounds, its check, and how the OpenAPI document describes it.
import { Format, type FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import { normalizeCode } from '../../formats/code.ts';
import {
  BUILT_IN_PERMISSION,
  ID_PATTERN,
  MAX_DOMAIN,
  NOT_A_PERMISSION,
  OWN_PERMISSION,
  ROLE_PATTERN,
  SLUG_PATTERN,
  isPermissionName,
  normalizeUsername,
  parseDomainName,
} from '../../formats/names.ts';
import { toAsciiUrl } from '../../formats/urls.ts';
import { unknownFault, type Fault } from './faults.ts';
import {
  type CheckText,
  checkCurrency,
  checkDate,
  checkDomain,
  checkEmail,
  checkFileName,
  checkIdentifier,
  checkJsonObject,
  checkLabel,
  checkLength,
  checkLines,
  checkMediaType,
  checkName,
  checkSort,
  checkUrl,
  checkVisibleAscii,
  matching,
} from './text-checks.ts';
import { EMAIL, FILE_NAME, IDENTIFIER, MEDIA_TYPE, NAME, NEW_PASSWORD, PHONE, TEXT } from './text-patterns.ts';

/** Keywords of JSON Schema. */
type Keywords = Readonly<Record<string, unknown>>;

/** A format of texts. */
interface TextFormat {
  /** Whether the format needs a maximum length. */
  readonly needsMax: boolean;
  /** The minimum and maximum length of a field that declares none. */
  readonly min?: number;
  readonly max?: number;
  /** Returns the normalized text, which is checked and given to the handler. */
  readonly normalize: (text: string) => string;
  /** Whether an empty text counts as missing. */
  readonly emptyIsAbsent: boolean;
  readonly check: CheckText;
  /** Returns the keywords that the gateway checks. */
  readonly schema: (rule: FieldRule) => Keywords;
  /** Returns further keywords for the OpenAPI document. Only the core checks them, because its errors are more precise. */
  readonly documented: (rule: FieldRule) => Keywords;
  /** Returns a sentence for the OpenAPI document. */
  readonly sentence: (rule: FieldRule) => string;
}

const SLUG = SLUG_PATTERN.source.slice(1, -1);
const ROLE = ROLE_PATTERN.source.slice(1, -1);
const notMatching = (pattern: string): Fault => ({
  message: `must match ${pattern}`,
  format: 'pattern',
  params: { pattern },
});

// toLocaleString would load the language's data for each number.
const NUMBERS = new Intl.NumberFormat('en');
const upTo = ({ max }: FieldRule) => NUMBERS.format(max);
const sized = ({ max }: FieldRule) => ({ minLength: 1, maxLength: max });
/** A text that is not blank. */
const filled = (rule: FieldRule) => ({ ...sized(rule), pattern: '\\S' });
const characters = (rule: FieldRule) => `1-${upTo(rule)} characters.`;
const notBlank = (rule: FieldRule) => `1-${upTo(rule)} characters, not all of them blank.`;

/** @param allowed The built-in roles, if the field names an existing role. */
function notARole(allowed: readonly string[]): Fault {
  if (allowed.length === 0) return notMatching(ROLE);
  return { ...unknownFault(allowed), message: `must be one of ${allowed.join(', ')}, or a role of the tenant` };
}

/** The formats of texts. */
export const TEXT_FORMATS: Readonly<Partial<Record<Format, TextFormat>>> = {
  [Format.FORMAT_TEXT]: text({
    check: checkLines(() => undefined),
    documented: () => ({ pattern: TEXT }),
    sentence: notBlank,
  }),
  [Format.FORMAT_EMAIL]: format({
    needsMax: true,
    min: 3,
    max: 320,
    normalize: trim,
    check: checkEmail,
    schema: ({ min, max }) => ({ minLength: min, maxLength: max }),
    documented: () => ({ pattern: EMAIL }),
    sentence: (rule) => `${rule.min}-${upTo(rule)} characters.`,
  }),
  [Format.FORMAT_PHONE]: text({
    check: checkLines(matching(/\d/, { message: 'must contain digits', format: 'phone' })),
    schema: ({ max }) => ({ maxLength: max, pattern: '[0-9]' }),
    documented: () => ({ pattern: PHONE }),
    sentence: characters,
  }),
  [Format.FORMAT_SEARCH]: format({
    needsMax: true,
    max: 254,
    emptyIsAbsent: true,
    check: checkLength,
    schema: ({ max }) => ({ maxLength: max }),
    sentence: (rule) => `${characters(rule)} There are no wildcards. An empty text counts as absent.`,
  }),
  [Format.FORMAT_SORT]: format({
    emptyIsAbsent: true,
    check: checkSort,
    schema: () => ({ minLength: 1 }),
    documented: ({ allowed }) => ({ pattern: sortPattern(allowed) }),
    sentence: ({ allowed }) =>
      `One or more of ${allowed.join(', ')}, separated by commas, each at most once. ` +
      'A leading minus sorts in descending order. Default -createdAt.',
  }),
  [Format.FORMAT_UUID]: format({
    check: matching(ID_PATTERN, { message: 'must be an id', format: 'uuid' }),
    schema: () => ({ minLength: 1 }),
    documented: () => ({ format: 'uuid' }),
  }),
  [Format.FORMAT_REFERENCE]: format({
    check: matching(ID_PATTERN, { message: 'names no record', format: 'reference' }),
    documented: () => ({ format: 'uuid' }),
  }),
  [Format.FORMAT_DATE]: format({ check: checkDate, schema: () => ({ format: 'date' }), sentence: () => 'YYYY-MM-DD.' }),
  [Format.FORMAT_CURRENCY]: format({
    check: checkCurrency,
    schema: () => ({ pattern: '^[A-Z]{3}$' }),
    documented: () => ({ enum: Intl.supportedValuesOf('currency') }),
    sentence: () => 'Currency code of ISO 4217.',
  }),
  [Format.FORMAT_LABEL]: format({
    needsMax: true,
    check: checkLabel,
    schema: filled,
    documented: () => ({ pattern: IDENTIFIER }),
    sentence: notBlank,
  }),
  [Format.FORMAT_VISIBLE_ASCII]: format({
    needsMax: true,
    check: checkVisibleAscii,
    schema: ({ max }) => ({ pattern: `^[!-~]{1,${max}}$` }),
    sentence: (rule) => `1-${upTo(rule)} visible characters.`,
  }),
  [Format.FORMAT_URL]: format({
    needsMax: true,
    normalize: toAsciiUrl,
    check: checkUrl,
    schema: sized,
    documented: () => ({ pattern: '^\\S+$' }),
    sentence: (rule) => `1-${upTo(rule)} characters. Others than ASCII are converted: A-labels and percent-encoding.`,
  }),
  [Format.FORMAT_NAME]: text({
    max: 200,
    check: checkLines(checkName),
    documented: () => ({ pattern: NAME }),
    sentence: notBlank,
  }),
  [Format.FORMAT_USERNAME]: format({
    needsMax: true,
    max: 254,
    normalize: normalizeUsername,
    check: checkIdentifier,
    documented: (rule) => ({ ...sized(rule), pattern: IDENTIFIER }),
    sentence: (rule) => `${characters(rule)} Surrounding blanks are removed. Case-insensitive.`,
  }),
  [Format.FORMAT_PASSWORD]: format({
    needsMax: true,
    min: 12,
    max: 1024,
    check: checkLength,
    documented: ({ min, max }) => ({
      minLength: Math.max(min, 1),
      maxLength: max,
      format: 'password',
      // A current password can be older than the policy, so it has no minimum.
      ...(min > 1 && { pattern: NEW_PASSWORD }),
    }),
    sentence: (rule) => `${Math.max(rule.min, 1)}-${upTo(rule)} characters.`,
  }),
  [Format.FORMAT_SLUG]: format({
    check: matching(SLUG_PATTERN, notMatching(SLUG)),
    documented: () => ({ pattern: SLUG_PATTERN.source }),
    sentence: () => '1-63 lower-case letters, digits and hyphens.',
  }),
  [Format.FORMAT_TENANT]: format({
    check: matching(SLUG_PATTERN, { message: 'must be the id of a tenant', format: 'tenant' }),
    documented: () => ({ pattern: SLUG_PATTERN.source }),
  }),
  [Format.FORMAT_FILE_NAME]: text({
    max: 255,
    check: checkLines(checkFileName),
    documented: () => ({ pattern: FILE_NAME }),
    sentence: notBlank,
  }),
  [Format.FORMAT_MEDIA_TYPE]: text({
    max: 127,
    check: checkMediaType,
    documented: () => ({ pattern: MEDIA_TYPE }),
    sentence: characters,
  }),
  [Format.FORMAT_ROLE]: format({
    check: (name, { allowed }) => (ROLE_PATTERN.test(name) ? undefined : notARole(allowed)),
    documented: () => ({ pattern: ROLE_PATTERN.source }),
    sentence: ({ allowed }) => (allowed.length === 0 ? '' : `Built in are ${allowed.join(', ')}.`),
  }),
  [Format.FORMAT_PERMISSION]: format({
    check: (name) => (isPermissionName(name) ? undefined : { message: NOT_A_PERMISSION, format: 'permission' }),
    documented: () => ({ maxLength: 64, pattern: `${BUILT_IN_PERMISSION.source}|${OWN_PERMISSION.source}` }),
    sentence: () => 'A built-in permission, or one of your own, such as invoices:read.',
  }),
  [Format.FORMAT_JSON_OBJECT]: format({
    needsMax: true,
    check: checkJsonObject,
    sentence: (rule) => `At most ${upTo(rule)} characters.`,
  }),
  [Format.FORMAT_TOTP]: format({
    normalize: normalizeCode,
    check: matching(/^[0-9]{6}$/, { message: 'must be six digits', format: 'totp' }),
    schema: () => ({ minLength: 6, maxLength: 64 }),
    documented: () => ({ pattern: '^[0-9]{6}$' }),
    sentence: () => 'Six digits, of any script. Blanks do not matter.',
  }),
  [Format.FORMAT_DOMAIN]: format({
    normalize: (given) => parseDomainName(given) ?? given,
    check: checkDomain,
    documented: () => ({ minLength: 1, maxLength: MAX_DOMAIN }),
    sentence: () => 'A domain name.',
  }),
};

/** The formats of google.protobuf.Timestamp. */
export const TIME_FORMATS: ReadonlySet<Format> = new Set([
  Format.FORMAT_TIME,
  Format.FORMAT_TIME_FROM,
  Format.FORMAT_TIME_TO,
]);

type Given = Partial<TextFormat> & Pick<TextFormat, 'check'>;

function format(given: Given): TextFormat {
  const nothing = () => ({});
  return {
    needsMax: false,
    normalize: (same) => same,
    emptyIsAbsent: false,
    schema: nothing,
    documented: nothing,
    sentence: () => '',
    ...given,
  };
}

/** A format of texts for people. */
function text(given: Given): TextFormat {
  return format({ needsMax: true, normalize: trim, schema: filled, ...given });
}

function trim(given: string): string {
  return given.trim();
}

/** Returns the pattern of texts such as `-createdAt,name`, without repeated names. */
function sortPattern(names: readonly string[]): string {
  const key = `-?(?:${names.join('|')})`;
  return String.raw`^(?!(?:.*,)?-?(\w+),(?:.*,)?-?\1(?:,|$))${key}(?:,${key})*$`;
}
