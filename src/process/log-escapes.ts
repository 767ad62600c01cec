// Characters that would speak to the terminal that shows a log line, or change the order of its text.

/** C1 controls and DELETE, format characters such as bidirectional controls, the separators that end lines. */
const RAW = /[\u007F-\u009F\p{Cf}\u2028\u2029]/gu;
/** Escapes within JSON: of a backslash, of a C0 control, or any other. */
const ESCAPES = /\\(?:u00[01][0-9a-f]|.)/gs;
const CONTROL_ESCAPE = /^\\(?:u00|[bfr])/;

/** A line of JSON, written with escapes for such characters: it still has the same value. */
export function escapeJsonLine(line: string): string {
  return line.replace(RAW, unicodeEscapes);
}

/** A line of JSON whose texts show such characters, C0 controls too, as escapes once the line is parsed. */
export function showEscapes(line: string): string {
  const shown = line.replace(ESCAPES, (escape) => (CONTROL_ESCAPE.test(escape) ? `\\${escape}` : escape));
  return shown.replace(RAW, (character) => unicodeEscapes(character).replaceAll('\\', '\\\\'));
}

/** A character as one or two escapes. */
function unicodeEscapes(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
