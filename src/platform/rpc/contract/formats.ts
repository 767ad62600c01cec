// The formats of field rules.
import { Format } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import { ID_PATTERN, SLUG_PATTERN, normalizeUsername, parseDomainName } from '../../formats/names.ts';
import type { Fault } from './faults.ts';
import {
  type CheckText,
  checkCurrency,
  checkDate,
  checkDomain,
  checkEmail,
  checkFileName,
  checkIdentifier,
  checkLabel,
  checkLength,
  checkLines,
  checkMediaType,
  checkName,
  checkSort,
  checkVisibleAscii,
  matching,
} from './text-checks.ts';

/** A format of texts. */
export interface TextFormat {
  /** Whether the format needs a maximum length. */
  readonly needsMax: boolean;
  /** Returns the normalized text, which is checked and given to the handler. */
  readonly normalize: (text: string) => string;
  /** Whether an empty text counts as missing. */
  readonly emptyIsAbsent: boolean;
  readonly check: CheckText;
}

const SLUG = SLUG_PATTERN.source.slice(1, -1);
const NOT_A_SLUG: Fault = { message: `must match ${SLUG}`, format: 'pattern', params: { pattern: SLUG } };

/** The formats of texts. */
export const TEXT_FORMATS: ReadonlyMap<Format, TextFormat> = new Map([
  [Format.FORMAT_TEXT, text(() => undefined)],
  [Format.FORMAT_EMAIL, format({ needsMax: true, normalize: trim, check: checkEmail })],
  [Format.FORMAT_PHONE, text(matching(/\d/, { message: 'must contain digits', format: 'phone' }))],
  [Format.FORMAT_SEARCH, format({ needsMax: true, emptyIsAbsent: true, check: checkLength })],
  [Format.FORMAT_SORT, format({ emptyIsAbsent: true, check: checkSort })],
  [Format.FORMAT_UUID, format({ check: matching(ID_PATTERN, { message: 'must be an id', format: 'uuid' }) })],
  [
    Format.FORMAT_REFERENCE,
    format({ check: matching(ID_PATTERN, { message: 'names no record', format: 'reference' }) }),
  ],
  [Format.FORMAT_DATE, format({ check: checkDate })],
  [Format.FORMAT_CURRENCY, format({ check: checkCurrency })],
  [Format.FORMAT_LABEL, format({ needsMax: true, check: checkLabel })],
  [Format.FORMAT_VISIBLE_ASCII, format({ needsMax: true, check: checkVisibleAscii })],
  [Format.FORMAT_NAME, text(checkName)],
  [Format.FORMAT_USERNAME, format({ needsMax: true, normalize: normalizeUsername, check: checkIdentifier })],
  [Format.FORMAT_PASSWORD, format({ needsMax: true, check: checkLength })],
  [Format.FORMAT_SLUG, format({ check: matching(SLUG_PATTERN, NOT_A_SLUG) })],
  [
    Format.FORMAT_TENANT,
    format({ check: matching(SLUG_PATTERN, { message: 'must be the id of a tenant', format: 'tenant' }) }),
  ],
  [Format.FORMAT_FILE_NAME, text(checkFileName)],
  [Format.FORMAT_MEDIA_TYPE, format({ needsMax: true, normalize: trim, check: checkMediaType })],
  [Format.FORMAT_DOMAIN, format({ normalize: (given) => parseDomainName(given) ?? given, check: checkDomain })],
]);

/** The formats of google.protobuf.Timestamp. */
export const TIME_FORMATS: ReadonlySet<Format> = new Set([
  Format.FORMAT_TIME,
  Format.FORMAT_TIME_FROM,
  Format.FORMAT_TIME_TO,
]);

function format(given: Partial<TextFormat> & Pick<TextFormat, 'check'>): TextFormat {
  return { needsMax: false, normalize: (same) => same, emptyIsAbsent: false, ...given };
}

/** A format of texts for people. */
function text(also: CheckText): TextFormat {
  return format({ needsMax: true, normalize: trim, check: checkLines(also) });
}

function trim(given: string): string {
  return given.trim();
}
