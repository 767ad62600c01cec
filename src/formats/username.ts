/** Canonical form of a login name: trimmed, Unicode NFC, lower case. Undefined unless it then has 1-254 characters. */
export function canonicalUsername(input: string): string | undefined {
  if (input.length > MAX_INPUT_UNITS || !input.isWellFormed()) return undefined;
  const canonical = normalizeUsername(input);
  const characters = [...canonical].length;
  return characters >= 1 && characters <= MAX_USERNAME ? canonical : undefined;
}

/** The same form of a text of any length. A text that is too long to be a login name stays as it is. */
export function normalizeUsername(input: string): string {
  return input.length > MAX_INPUT_UNITS ? input : input.trim().normalize('NFC').toLowerCase();
}

/** Whether a password may be looked at: 1-1024 characters of well-formed Unicode. */
export function isPossiblePassword(input: string): boolean {
  return (
    input.length >= 1 && input.length <= 2 * MAX_PASSWORD && input.isWellFormed() && [...input].length <= MAX_PASSWORD
  );
}

const MAX_USERNAME = 254;
const MAX_PASSWORD = 1024;
// Normalisation is costly; what is longer than this has too many characters whatever its blanks.
const MAX_INPUT_UNITS = 4_096;
