// Parses interoperable JSON (RFC 8259): texts that JSON.parse accepts, except those that other parsers could read differently.
import { GatewayError } from '../errors/gateway-error.ts';

/** Maximum nesting of arrays and objects. */
const MAX_DEPTH = 64;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor']);
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const malformed = (reason: string): GatewayError => new GatewayError('MALFORMED_REQUEST', `Malformed JSON: ${reason}`);

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may contain a password.
    throw malformed('syntax error');
  }
}

function requireWellFormed(text: string): void {
  if (!text.isWellFormed()) throw malformed('lone surrogate');
}

function requireAllowedKey(key: string): void {
  requireWellFormed(key);
  if (FORBIDDEN_KEYS.has(key)) throw malformed('forbidden key');
}

/** Checks all keys and strings and counts the keys. Iterates by level: recursion could overflow the stack. */
function checkedKeyCount(root: unknown): number {
  let keys = 0;
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') requireWellFormed(value);
      if (typeof value !== 'object' || value === null) continue;
      if (depth >= MAX_DEPTH) throw malformed('nested too deeply');
      if (!Array.isArray(value)) {
        const own = Object.keys(value);
        own.forEach(requireAllowedKey);
        keys += own.length;
      }
      for (const member of Object.values(value)) next.push(member);
    }
    level = next;
  }
  return keys;
}

/** Counts the members of all objects in a valid JSON text: one for each colon outside strings. */
function memberCount(text: string): number {
  return text.replace(STRINGS, '').split(':').length - 1;
}

/**
 * Parses a JSON text. Throws GatewayError (400) for:
 * - bytes that are not UTF-8, and a byte order mark
 * - texts that JSON.parse rejects
 * - a repeated key, and the keys `__proto__` and `constructor`
 * - a lone surrogate
 * - nesting deeper than 64 levels
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  const value = parse(text);
  if (checkedKeyCount(value) !== memberCount(text)) throw malformed('duplicate key');
  return value;
}
