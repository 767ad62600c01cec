// The code that a device shows, and that its user enters on another device (RFC 8628 section 6.1).
import { hash, randomInt } from 'node:crypto';

/** Without vowels, which make words, and without letters that look like others. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const FORM = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);
const BETWEEN = /[\s\p{Pd}]/gu;

/** Creates a code as users see it: `WDJB-MJHT`. */
export function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

/** Returns the hash of a code as a user has entered it: case, blanks and hyphens do not matter. Undefined if it has another form. */
export function userCodeHash(entered: string): Buffer | undefined {
  const code = entered.replaceAll(BETWEEN, '').toUpperCase();
  return FORM.test(code) ? hash('sha256', code, 'buffer') : undefined;
}
