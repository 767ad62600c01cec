// Normalization is costly. A longer text has too many characters even after trimming.
const MAX_INPUT_UNITS = 4_096;

/**
 * Returns the canonical form of a login name: trimmed, Unicode NFC, lower case. A text that is too long for one is
 * returned unchanged.
 */
export function normalizeUsername(input: string): string {
  return input.length > MAX_INPUT_UNITS ? input : input.trim().normalize('NFC').toLowerCase();
}
