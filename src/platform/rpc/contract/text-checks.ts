// Checks texts by format. Each check gets a normalized text and returns its fault, if any.
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import {
  FORBIDDEN_CHARACTERS,
  hasControlCharacters,
  hasForbiddenCharacters,
  hasForbiddenNameCharacters,
} from '../../formats/characters.ts';
import { toMailbox } from '../../formats/mail-address.ts';
import { parseDomainName } from '../../formats/names.ts';
import { type Fault, lengthFault } from './faults.ts';

export type CheckText = (text: string, rule: FieldRule) => Fault | undefined;

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
/**
 * RFC 9110 section 8.3.1. Each space matches in only one way. Otherwise a text of `; ; ;` would take exponential time.
 */
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;(?:[ \\t]*${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\\\x00-\\x1F\\x7F-\\uFFFF]|\\\\[\\x20-\\x7E])*"))?)*$`,
);

const CONTROL_CHARACTERS: Fault = { message: 'must not hold control characters', format: 'characters' };
const FORBIDDEN: Fault = { message: FORBIDDEN_CHARACTERS, format: 'characters' };

/** Creates a check for a pattern. */
export function matching(pattern: RegExp, fault: Fault): CheckText {
  return (text) => (pattern.test(text) ? undefined : fault);
}

/** Checks the length of a text. */
export function checkLength(text: string, { min, max }: Pick<FieldRule, 'min' | 'max'>): Fault | undefined {
  return lengthFault(text, Math.max(min, 1), max);
}

/** Creates a check of a multi-line text. `also` checks a text of valid length. */
export function checkLines(also: CheckText): CheckText {
  return (text, rule) =>
    checkLength(text, rule) ?? (hasControlCharacters(text) ? CONTROL_CHARACTERS : also(text, rule));
}

/** Checks that an identifier has no characters that make it look like another one. */
export function checkIdentifier(text: string, rule: FieldRule): Fault | undefined {
  return checkLength(text, rule) ?? (hasForbiddenCharacters(text) ? FORBIDDEN : undefined);
}

/** A label is stored unchanged, so it is not trimmed. A label of spaces only is refused. */
export function checkLabel(text: string, rule: FieldRule): Fault | undefined {
  return checkIdentifier(text.trim() === '' ? '' : text, rule);
}

export function checkName(text: string): Fault | undefined {
  return hasForbiddenNameCharacters(text) ? FORBIDDEN : undefined;
}

/** Reports a too short text as not an e-mail address, which is more useful than its length. */
export function checkEmail(text: string, { max }: FieldRule): Fault | undefined {
  const fault = lengthFault(text, 1, max);
  if (fault) return fault;
  if (hasControlCharacters(text)) return CONTROL_CHARACTERS;
  if (hasForbiddenCharacters(text)) return FORBIDDEN;
  return toMailbox(text) === undefined ? { message: 'must be an e-mail address', format: 'email' } : undefined;
}

/** A file name is a name: format characters could hide its extension, and a line break could forge a header. */
export function checkFileName(text: string): Fault | undefined {
  if (!/[/\\]/.test(text)) return checkName(text);
  return { message: 'must not hold slashes', format: 'characters', params: { excluded: '/\\' } };
}

export function checkMediaType(text: string, rule: FieldRule): Fault | undefined {
  const fault = checkLength(text, rule);
  if (fault || MEDIA_TYPE.test(text)) return fault;
  return { message: 'must be a media type', format: 'media-type' };
}

export function checkDomain(text: string): Fault | undefined {
  return parseDomainName(text) === undefined ? { message: 'must be a domain name', format: 'domain' } : undefined;
}

export function checkSort(text: string, { allowed }: FieldRule): Fault | undefined {
  const names = text.split(',').map((key) => key.replace(/^-/, ''));
  if (names.every((name) => allowed.includes(name)) && new Set(names).size === names.length) return undefined;
  const message = `must be some of ${allowed.join(', ')}, each once, with a minus for descending`;
  return { message, format: 'sort', params: { allowed } };
}

export function checkDate(text: string): Fault | undefined {
  return isDate(text) ? undefined : { message: 'must be a day, YYYY-MM-DD', format: 'date' };
}

function isDate(text: string): boolean {
  if (!DAY.test(text)) return false;
  // Date would accept days beyond the end of a month.
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export function checkCurrency(text: string): Fault | undefined {
  return CURRENCIES.has(text) ? undefined : { message: 'must be the code of a currency', format: 'currency' };
}

export function checkVisibleAscii(text: string, { max }: FieldRule): Fault | undefined {
  if (text.length <= max && VISIBLE_ASCII.test(text)) return undefined;
  return { message: `must have 1 to ${max} visible ASCII characters`, format: 'pattern' };
}

/** A URL that has other characters cannot be converted. */
export function checkUrl(text: string, rule: FieldRule): Fault | undefined {
  const fault = checkLength(text, rule);
  return fault || VISIBLE_ASCII.test(text) ? fault : { message: 'must be a URL', format: 'url' };
}

/** The gateway sends an object that it has parsed. Other callers send any text. */
export function checkJsonObject(text: string, rule: FieldRule): Fault | undefined {
  const fault = checkLength(text, rule);
  if (fault || isJsonObject(text)) return fault;
  return { message: 'must be a JSON object', format: 'type', params: { type: 'object' } };
}

export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
