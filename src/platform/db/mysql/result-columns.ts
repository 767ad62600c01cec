// The columns of a result: their definitions, and the function that reads its rows.
// Rows get the values that mysql2 returns with the options of connection.ts. A test compares both.
//
// `new Function` is safe here: it compiles the names of columns, quoted by JSON.stringify, and numbers.

import { MAX_PREPARED_STATEMENTS } from '../limits.ts';
import { memberCode } from '../object-literal.ts';

/** A packet of mysql2. `offset` is where its content begins; methods read from there and move it. */
export interface Packet {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
  offset: number;
  isError(): boolean;
  asError(encoding: string): Error;
  readDateTimeString(decimals: number, separator: null, columnType: number): string;
  readTimeString(): string;
  parseLengthCodedFloat(): number;
  parseGeometryValue(): unknown;
  parseVector(): number[];
  parseJson(encoding: string, supportBigNumbers: boolean): unknown;
}

export type ReadRow = (packet: Packet) => object;

export interface ResultColumns {
  readonly count: number;
  /** The packets of the definitions, with their headers, one after the other. */
  readonly bytes: Buffer;
  /** Where each of them ends in `bytes`. */
  readonly ends: readonly number[];
  readonly readRow: ReadRow;
}

interface Column {
  readonly name: string;
  readonly type: number;
  readonly isBinary: boolean;
  readonly isUnsigned: boolean;
  readonly decimals: number;
  readonly isJson: boolean;
}

const HEADER_BYTES = 4;
const BINARY_CHARSET = 63;
const UNSIGNED_FLAG = 0x20;
/** Texts before the name: catalog, schema, table, original table. */
const TEXTS_BEFORE_NAME = 4;

/** By the bytes of the definitions. Statements that differ in their number of values have the same columns, and share the function. */
const parsed = new Map<string, ResultColumns>();

/** Parses the packets of the definitions. `isExtended`: MariaDB adds the format of each column. */
export function parseColumns(packets: readonly Buffer[], isExtended: boolean): ResultColumns {
  const bytes = Buffer.concat(packets);
  const key = `${isExtended} ${bytes.toString('latin1')}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  let end = 0;
  const readRow = compileReader(packets.map((packet) => parseColumn(packet, isExtended)));
  const columns = { count: packets.length, bytes, ends: packets.map(({ length }) => (end += length)), readRow };
  if (parsed.size >= MAX_PREPARED_STATEMENTS) parsed.delete(parsed.keys().next().value!);
  parsed.set(key, columns);
  return columns;
}

function parseColumn(packet: Buffer, isExtended: boolean): Column {
  let at = HEADER_BYTES;
  const readText = (): Buffer => {
    const [length, start] = lengthAt(packet, at);
    at = start + length;
    return packet.subarray(start, at);
  };
  for (let text = 0; text < TEXTS_BEFORE_NAME; text += 1) readText();
  const name = readText().toString('utf8');
  // The original name.
  readText();
  const isJson = isExtended && isJsonFormat(readText());
  // The length of the following fields.
  at += 1;
  return {
    name,
    isJson,
    isBinary: packet.readUInt16LE(at) === BINARY_CHARSET,
    type: packet[at + 6]!,
    isUnsigned: (packet.readUInt16LE(at + 7) & UNSIGNED_FLAG) !== 0,
    decimals: packet[at + 9]!,
  };
}

/** Pairs of a number and a text. Number 1 is the format. */
function isJsonFormat(metadata: Buffer): boolean {
  for (let at = 0; at < metadata.length;) {
    const id = metadata[at];
    const [length, start] = lengthAt(metadata, at + 1);
    at = start + length;
    if (id === 1 && metadata.toString('ascii', start, at) === 'json') return true;
  }
  return false;
}

function lengthAt(bytes: Buffer, at: number): readonly [length: number, start: number] {
  const first = bytes[at]!;
  if (first < 0xfb) return [first, at + 1];
  const size = first === 0xfc ? 2 : 3;
  return [bytes.readUIntLE(at + 1, size), at + 1 + size];
}

/** Code that reads a value from `b` at `o` into the variable `v`, by the type of the column. */
function readerOf(column: Column): string {
  const { type, isBinary, isUnsigned, decimals, isJson } = column;
  if (isJson) return byPacket("p.parseJson('utf8', false)");
  switch (type) {
    case 0x01:
      return isUnsigned ? 'v = b[o++];' : 'v = (b[o++] << 24) >> 24;';
    case 0x02:
      return `v = ${isUnsigned ? '' : '('}b[o] | (b[o + 1] << 8)${isUnsigned ? '' : ') << 16 >> 16'}; o += 2;`;
    case 0x0d:
      return 'v = b[o] | (b[o + 1] << 8); o += 2;';
    case 0x03:
    case 0x09:
      return `v = ${INT32}${isUnsigned ? ' >>> 0' : ''}; o += 4;`;
    case 0x08:
      return `v = ${INT32} >>> 0; o += 4; v += ((${INT32})${isUnsigned ? ' >>> 0' : ''}) * 0x100000000; o += 4;`;
    case 0x04:
      return 'v = b.readFloatLE(o); o += 4;';
    case 0x05:
      return 'v = b.readDoubleLE(o); o += 8;';
    case 0x06:
      return 'v = null;';
    case 0x07:
    case 0x0a:
    case 0x0c:
    case 0x0e:
      return byPacket(`p.readDateTimeString(${decimals}, null, ${type})`);
    case 0x0b:
      return byPacket('p.readTimeString()');
    case 0x00:
    case 0xf6:
      return byPacket('p.parseLengthCodedFloat()');
    case 0xff:
      return byPacket('p.parseGeometryValue()');
    case 0xf2:
      return byPacket('p.parseVector()');
    case 0xf5:
      return byPacket("p.parseJson('utf8', false)");
    default:
      return `${LENGTH} v = ${isBinary ? 'b.subarray(o, o + n)' : 'text(b, o, o + n)'}; o += n;`;
  }
}

const INT32 = '(b[o] | (b[o + 1] << 8) | (b[o + 2] << 16) | (b[o + 3] << 24))';
const LENGTH = `n = b[o++];
  if (n > 250) { const size = n === 252 ? 2 : n === 253 ? 3 : 6; const long = b.readUIntLE(o, size); o += n === 254 ? 8 : size; n = long; }`;

const byPacket = (call: string) => `p.offset = o; v = ${call}; o = p.offset;`;

function compileReader(columns: readonly Column[]): ReadRow {
  // Bits 0 and 1 of the bitmap are reserved.
  const bitmapBytes = (columns.length + 2 + 7) >> 3;
  const values = columns.map(
    (column, index) => `
  let v${index} = null;
  if ((b[bitmap + ${(index + 2) >> 3}] & ${1 << ((index + 2) & 7)}) === 0) { ${readerOf(column)} v${index} = v; }`,
  );
  const members = columns.map(({ name }, index) => memberCode(name, `v${index}`));
  const code = `return (p) => {
  const b = p.buffer;
  const bitmap = p.offset + 1;
  let o = bitmap + ${bitmapBytes};
  let v;
  let n;${values.join('')}
  return { ${members.join(', ')} };
}`;
  // oxlint-disable-next-line typescript/no-implied-eval -- see the first lines
  return new Function('text', code)(readText) as ReadRow;
}

function readText(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end);
}
