// Codes that people type or paste: of authenticator apps, and recovery codes.

/** What keyboards and the clipboard add to a code: blanks, hyphens, and marks of the writing direction. */
const BETWEEN = /[\s\p{Cf}\p{Pd}]/gu;
const DECIMAL_DIGIT = /\p{Nd}/gu;
const IS_DECIMAL_DIGIT = /^\p{Nd}$/u;

/** Returns a code without what stands between its characters, and with the digits of every script as ASCII digits. */
export function normalizeCode(text: string): string {
  return text.replaceAll(BETWEEN, '').replaceAll(DECIMAL_DIGIT, (digit) => String(valueOf(digit)));
}

/** Returns the value of a decimal digit. Unicode has the ten digits of a script in a row, and such rows can touch each other. */
function valueOf(digit: string): number {
  const codePoint = digit.codePointAt(0)!;
  let before = 0;
  while (IS_DECIMAL_DIGIT.test(String.fromCodePoint(codePoint - before - 1))) before += 1;
  return before % 10;
}
