import { v7 } from 'uuid';
import { ID_PATTERN } from '../formats/names.ts';

const ID_BYTES = 16;
/** Where the two digits of each byte are in the text of an id. */
const DIGITS_AT = Array.from(
  { length: ID_BYTES },
  (_, byte) => 2 * byte + [4, 6, 8, 10].filter((at) => byte >= at).length,
);

/** Creates an id: UUIDv7 (RFC 9562 section 5.7) in lower case, ascending with time. */
export function newId(): string {
  return v7();
}

/** Creates an id greater than another one, even if that one came from a clock that is ahead. */
export function newIdAfter(other: string | undefined): string {
  const id = newId();
  if (other === undefined || id > other) return id;
  return v7({ msecs: Number.parseInt(other.replace('-', '').slice(0, 12), 16) + 1 });
}

/** Whether a text is an id in the form that this service issues: canonical, lower case. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID_PATTERN.test(text);
}

/** Converts an id to its 16 stored bytes. Throws TypeError for any other text; check external texts with isId first. */
export function idToBytes(id: string): Buffer {
  if (!isId(id)) throw new TypeError('Not an id');
  const bytes = Buffer.allocUnsafe(ID_BYTES);
  for (let index = 0; index < ID_BYTES; index += 1) {
    const at = DIGITS_AT[index]!;
    bytes[index] = (valueOfDigit(id.charCodeAt(at)) << 4) | valueOfDigit(id.charCodeAt(at + 1));
  }
  return bytes;
}

/** Of `0` to `9` (48 to 57) or `a` to `f` (97 to 102). */
function valueOfDigit(code: number): number {
  return code <= 57 ? code - 48 : code - 87;
}

/** Converts 16 stored bytes to an id. Throws TypeError for any other length. */
export function bytesToId(bytes: Uint8Array): string {
  if (bytes.length !== ID_BYTES) throw new TypeError('An id has 16 bytes');
  return hexToId(Buffer.from(bytes.buffer, bytes.byteOffset, ID_BYTES).toString('hex'));
}

/**
 * Returns the SQL for a stored id as text that `hexToId` converts. In lists, use it instead of `bytesToId`: SQLite's
 * driver needs ten times as long for bytes.
 */
export function hexOf(column: string): string {
  return `LOWER(HEX(${column}))`;
}

/** Converts 32 hexadecimal digits in lower case to an id. */
export function hexToId(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
