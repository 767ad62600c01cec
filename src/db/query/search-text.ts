import { given, type Condition } from './condition.ts';

/**
 * What a search without regard to case looks into, and what it looks for: Unicode NFC in lower case, as bytes. Engines fold
 * letters differently (SQLite's LIKE and LOWER know ASCII only); bytes that were folded here are the same everywhere.
 */
export function searchText(...parts: readonly (string | undefined)[]): Buffer {
  const [first = NOTHING, ...others] = parts.filter((part) => part !== undefined).map(folded);
  return Buffer.concat([first, ...others.flatMap((part) => [SEPARATOR, part])]);
}

const NOTHING = Buffer.alloc(0);
// A byte that UTF-8 does not know, so that nothing is found across two parts.
const SEPARATOR = Buffer.of(0xff);

function folded(text: string): Buffer {
  // toLowerCase makes two letters of Σ, by its place in a word.
  return Buffer.from(text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ'));
}

/** The condition that a table's `search_text` contains a text; without one, none. */
export function containing(text: string | undefined): readonly Condition[] {
  return given(text === undefined ? undefined : searchText(text), 'INSTR(search_text, ?) > 0');
}
