// Access codes: an administrator creates one for a user who has lost a factor. It stands in for a factor at one login. It is encrypted,
// because eight digits could be found from a hash.
import { randomInt, timingSafeEqual } from 'node:crypto';
import { normalizeCode } from '../../platform/formats/code.ts';

const DIGITS = 8;
const CANONICAL = /^\d{8}$/;

/** Creates a code. */
export function newAccessCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

/** Whether a text is a code, apart from blanks, hyphens and full width. */
export function matchesAccessCode(text: string, code: Buffer): boolean {
  const canonical = normalizeCode(text.normalize('NFKC'));
  return CANONICAL.test(canonical) && timingSafeEqual(Buffer.from(canonical), code);
}
