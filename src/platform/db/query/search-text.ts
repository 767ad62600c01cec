import { given, type Condition } from './condition.ts';

/**
 * Returns the text for case-insensitive searches: Unicode NFC in lower case, as bytes. Both the stored and the searched
 * text use it. Engines fold letters differently (SQLite's LIKE and LOWER support ASCII only); these bytes are the same
 * everywhere.
 */
export function searchText(...parts: readonly (string | undefined)[]): Buffer {
  const [first = NOTHING, ...others] = parts.filter((part) => part !== undefined).map(folded);
  return Buffer.concat([first, ...others.flatMap((part) => [SEPARATOR, part])]);
}

const NOTHING = Buffer.alloc(0);
// A byte that never occurs in UTF-8, so that no match spans two parts.
const SEPARATOR = Buffer.of(0xff);

function folded(text: string): Buffer {
  // toLowerCase converts Σ to two different letters, depending on its place in a word.
  return Buffer.from(text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ'));
}

/** Returns the condition that a table's `search_text` contains a text; none if there is no text. */
export function containing(text: string | undefined): readonly Condition[] {
  return given(text === undefined ? undefined : searchText(text), 'INSTR(search_text, ?) > 0');
}
