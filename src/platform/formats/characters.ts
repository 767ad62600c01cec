// Text formats that several folders use: characters, ids, usernames, networks. Pure functions on strings.

const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;
const EACH_FORBIDDEN = new RegExp(FORBIDDEN, 'gu');
/** Zero-width non-joiner and joiner: scripts such as Persian and Hindi need them. */
const FORBIDDEN_IN_NAMES = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;

// All of Unicode's category Cc but tab and the ends of lines.
// oxlint-disable-next-line no-control-regex -- The pattern looks for them.
const CONTROL_CHARACTER = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

export const FORBIDDEN_CHARACTERS = 'must not contain control or format characters';

/** Whether an identifier (username, client id, e-mail address, label) has control, format, private-use or surrogate characters. */
export function hasForbiddenCharacters(text: string): boolean {
  return FORBIDDEN.test(text);
}

/** Removes such characters. */
export function withoutForbiddenCharacters(text: string): string {
  return text.replaceAll(EACH_FORBIDDEN, '');
}

/** Whether a display name has such characters. Joiners are allowed. */
export function hasForbiddenNameCharacters(text: string): boolean {
  return FORBIDDEN_IN_NAMES.test(text);
}

/** Whether a text of several lines has control characters other than tab and the ends of lines. */
export function hasControlCharacters(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}

const BLANKS = /\p{Zs}/gu;

/** Returns the form of a password that is hashed: OpaqueString (RFC 8265 section 4.2.1). Keyboards and systems differ in the others. */
export function toOpaqueString(password: string): string {
  return password.replaceAll(BLANKS, ' ').normalize('NFC');
}

/** Returns a character as one or two escape sequences of JSON. */
export function unicodeEscapes(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
