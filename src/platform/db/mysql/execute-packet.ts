// Writes the packets of commands: a prepared statement with its values (COM_STMT_EXECUTE), and a ping.
// The values get the types that mysql2 would give them, so both drivers get the same rows.

/** A parameter of a prepared statement, as the server describes it. */
export interface ParameterDefinition {
  readonly columnType: number;
  readonly flags: number;
}

/** A packet as mysql2's `writePacket` expects it. It sets the header, and splits a packet of 16 MB or more. */
export interface OutgoingPacket {
  readonly buffer: Buffer;
  length(): number;
  writeHeader(sequenceId: number): void;
}

const HEADER_BYTES = 4;
const COM_PING = 0x0e;
const COM_STMT_EXECUTE = 0x17;
const UNSIGNED_FLAG = 0x20;
const UNSIGNED_PARAMETER = 0x80;

const TINY = 1;
const SHORT = 2;
const LONG = 3;
const DOUBLE = 5;
const NULL = 6;
const LONGLONG = 8;
const BLOB = 0xfc;
const VAR_STRING = 0xfd;

/** Integer types by their number, with their size. The server names one if a parameter can only be an integer. */
const INTEGER_BITS = new Map([
  [TINY, 8],
  [SHORT, 16],
  [LONG, 32],
  [LONGLONG, 64],
]);

/** Bytes of the command, the statement's id, the flags and the iteration count. */
const FIXED_BYTES = 10;

/** The length of a text or of bytes takes 1, 3, 4 or 9 bytes. */
function lengthBytes(length: number): number {
  if (length < 0xfb) return 1;
  if (length < 0x10000) return 3;
  return length < 0x1000000 ? 4 : 9;
}

/** Throws TypeError for values that have no column type. */
export function executePacket(
  statementId: number,
  values: readonly unknown[],
  parameters: readonly ParameterDefinition[],
): OutgoingPacket {
  const count = values.length;
  const types: number[] = [];
  const sizes: number[] = [];
  const bitmapBytes = (count + 7) >> 3;
  let length = HEADER_BYTES + FIXED_BYTES + (count === 0 ? 0 : bitmapBytes + 1 + 2 * count);
  for (let index = 0; index < count; index += 1) {
    const value = values[index];
    let size = 0;
    if (typeof value === 'string') {
      types.push(VAR_STRING);
      size = Buffer.byteLength(value);
      length += lengthBytes(size) + size;
    } else if (typeof value === 'number') {
      const type = numberType(value, parameters[index]);
      types.push(type);
      length += numberBytes(type & 0xff);
    } else if (value === null) types.push(NULL);
    else if (value instanceof Buffer) {
      types.push(BLOB);
      size = value.length;
      length += lengthBytes(size) + size;
    } else throw new TypeError(`SQL value ${index + 1} of ${count} is of type ${typeof value}`);
    sizes.push(size);
  }

  const buffer = Buffer.allocUnsafe(length);
  let at = HEADER_BYTES;
  buffer[at++] = COM_STMT_EXECUTE;
  at = buffer.writeUInt32LE(statementId, at);
  // No cursor.
  buffer[at++] = 0;
  at = buffer.writeUInt32LE(1, at);
  if (count > 0) {
    const bitmapAt = at;
    while (at < bitmapAt + bitmapBytes) buffer[at++] = 0;
    // The types follow.
    buffer[at++] = 1;
    for (let index = 0; index < count; index += 1) {
      const type = types[index]!;
      if (type === NULL) buffer[bitmapAt + (index >> 3)]! |= 1 << (index & 7);
      buffer[at++] = type & 0xff;
      buffer[at++] = type >> 8;
    }
    for (let index = 0; index < count; index += 1) {
      const value = values[index];
      if (typeof value === 'string') {
        at = writeLength(buffer, sizes[index]!, at);
        at += buffer.write(value, at);
      } else if (typeof value === 'number') at = writeNumber(buffer, value, types[index]! & 0xff, at);
      else if (value !== null) {
        const bytes = value as Buffer;
        at = writeLength(buffer, bytes.length, at);
        buffer.set(bytes, at);
        at += bytes.length;
      }
    }
  }
  return new Packet(buffer);
}

/** Returns the packet that asks the server to respond. */
export function pingPacket(): OutgoingPacket {
  const buffer = Buffer.alloc(HEADER_BYTES + 1);
  buffer[HEADER_BYTES] = COM_PING;
  return new Packet(buffer);
}

class Packet implements OutgoingPacket {
  readonly buffer: Buffer;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  length(): number {
    return this.buffer.length;
  }

  writeHeader(sequenceId: number): void {
    this.buffer.writeUIntLE(this.buffer.length - HEADER_BYTES, 0, 3);
    this.buffer[3] = sequenceId;
  }
}

/** Returns the type in the lower byte, and the flag of an unsigned value in the upper one. */
function numberType(value: number, parameter: ParameterDefinition | undefined): number {
  const bits = parameter && INTEGER_BITS.get(parameter.columnType);
  if (bits === undefined || !Number.isSafeInteger(value)) return DOUBLE;
  const isUnsigned = (parameter!.flags & UNSIGNED_FLAG) !== 0;
  const half = 2 ** (bits - 1);
  const fits = isUnsigned ? value >= 0 && value < 2 * half : value >= -half && value < half;
  if (!fits) return DOUBLE;
  return parameter!.columnType | (isUnsigned ? UNSIGNED_PARAMETER << 8 : 0);
}

function numberBytes(type: number): number {
  return type === DOUBLE ? 8 : INTEGER_BITS.get(type)! / 8;
}

function writeNumber(buffer: Buffer, value: number, type: number, at: number): number {
  if (type === DOUBLE) return buffer.writeDoubleLE(value, at);
  const low = value >>> 0;
  if (type === LONGLONG) {
    buffer.writeUInt32LE(low, at);
    return buffer.writeInt32LE(Math.floor(value / 2 ** 32) | 0, at + 4);
  }
  for (let bits = 0; bits < INTEGER_BITS.get(type)!; bits += 8) buffer[at++] = low >>> bits;
  return at;
}

function writeLength(buffer: Buffer, length: number, at: number): number {
  if (length < 0xfb) {
    buffer[at] = length;
    return at + 1;
  }
  if (length < 0x10000) {
    buffer[at] = 0xfc;
    return buffer.writeUInt16LE(length, at + 1);
  }
  if (length < 0x1000000) {
    buffer[at] = 0xfd;
    return buffer.writeUIntLE(length, at + 1, 3);
  }
  buffer[at] = 0xfe;
  buffer.writeUInt32LE(length, at + 1);
  return buffer.writeUInt32LE(0, at + 5);
}
