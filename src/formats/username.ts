// Normalisation is costly; what is longer than this has too many characters whatever its blanks.
const MAX_INPUT_UNITS = 4_096;

/** The canonical form of a login name: trimmed, Unicode NFC, lower case. A text that is too long to be one stays as it is. */
export function normalizeUsername(input: string): string {
  return input.length > MAX_INPUT_UNITS ? input : input.trim().normalize('NFC').toLowerCase();
}
