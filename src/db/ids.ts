import { v7 } from 'uuid';
import { ID_PATTERN } from '../formats/id-pattern.ts';

/** A new id: UUIDv7 (RFC 9562 section 5.7) in canonical lower case, ascending with time. */
export function newId(): string {
  return v7();
}

/** A new id that is greater than another one, which a clock that is ahead may have given. */
export function newIdAfter(other: string | undefined): string {
  const id = newId();
  if (other === undefined || id > other) return id;
  return v7({ msecs: Number.parseInt(other.replace('-', '').slice(0, 12), 16) + 1 });
}

/** Whether a text is an id in the one spelling this service issues: canonical, lower case. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID_PATTERN.test(text);
}

/** An id as the 16 bytes that are stored. Throws TypeError for anything that is not an id; check foreign texts by isId. */
export function idToBytes(id: string): Buffer {
  if (!isId(id)) throw new TypeError('Not an id');
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The id of 16 stored bytes. Throws TypeError for any other length. */
export function bytesToId(bytes: Uint8Array): string {
  if (bytes.length !== 16) throw new TypeError('An id has 16 bytes');
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
