// Escapes characters that would control the terminal. Texts of users and files can contain them.
import { unicodeEscapes } from '../../src/platform/formats/characters.ts';
import type { Terminal } from './terminal.ts';

const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const CONTROLS_IN_LINES = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Escapes a text that belongs in one line. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, unicodeEscapes);
}

/**
 * Returns a terminal that escapes all output, except for tabs and ends of lines. JSON keeps its value, because there
 * the characters are in strings.
 */
export function withEscapedOutput(terminal: Terminal): Terminal {
  const escaped = (text: string) => text.replaceAll(CONTROLS_IN_LINES, unicodeEscapes);
  return {
    ...terminal,
    out: (text) => terminal.out(escaped(text)),
    error: (text) => terminal.error(escaped(text)),
  };
}
