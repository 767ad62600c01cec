// Escapes characters in log lines that would control the terminal or change the order of the text.
import { unicodeEscapes } from '../formats/characters.ts';

/** C1 controls and DELETE, format characters such as bidirectional controls, and the Unicode line separators. */
const RAW = /[\u007F-\u009F\p{Cf}\u2028\u2029]/gu;
/** Escape sequences in JSON: of a C0 control, or of any other character such as a backslash. */
const ESCAPES = /\\(?:u00[01][0-9a-f]|.)/gs;
const CONTROL_ESCAPE = /^\\(?:u00|[bfr])/;

/** Escapes these characters in a line of JSON. Its value stays the same. */
export function escapeJsonLine(line: string): string {
  return line.replace(RAW, unicodeEscapes);
}

/**
 * Escapes these characters and C0 controls in a line of JSON twice. So they are still escapes after parsing.
 */
export function showEscapes(line: string): string {
  const shown = line.replace(ESCAPES, (escape) => (CONTROL_ESCAPE.test(escape) ? `\\${escape}` : escape));
  return shown.replace(RAW, (character) => unicodeEscapes(character).replaceAll('\\', '\\\\'));
}
