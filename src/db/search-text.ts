/**
 * What a search without regard to case looks into, and what it looks for: Unicode NFC in lower case, as bytes. Engines fold
 * letters differently (SQLite's LIKE and LOWER know ASCII only); bytes that were folded here are the same everywhere.
 */
export function searchText(...parts: readonly (string | undefined)[]): Buffer {
  const text = parts.filter((part) => part !== undefined).join(SEPARATOR);
  return Buffer.from(text.normalize('NFC').toLowerCase());
}

// Nobody searches for it, so nothing is found across two parts.
const SEPARATOR = '\n';
