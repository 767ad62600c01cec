// The reader below the generated code. It reads what the one of @bufbuild/protobuf reads, without a BigInt for a number that is safe, and texts
// without a TextDecoder. See decision 70.
import { BinaryReader as LibraryReader } from '@bufbuild/protobuf/wire';

/** Varints of so many bytes have at most 56 bits, so their sum is exact up to the greatest safe number. */
const MAX_SUMMED_BYTES = 8;

/** Reads a message field by field. */
export class BinaryReader extends LibraryReader {
  readonly #buffer: Buffer;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  override string(): string {
    const length = this.uint32();
    const start = this.pos;
    this.pos += length;
    if (this.pos > this.len) throw new RangeError('premature EOF');
    return this.#buffer.toString('utf8', start, this.pos);
  }

  /** Reads an int64. Throws if a number cannot represent it. */
  safeInt64(): number {
    let value = 0;
    let factor = 1;
    for (let index = 0; index < MAX_SUMMED_BYTES; index += 1) {
      const byte = this.#buffer[this.pos + index];
      if (byte === undefined) break;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        this.pos += index + 1;
        return value;
      }
      factor *= 0x80;
    }
    return toSafe(Number(this.int64()));
  }
}

/** Throws as the code of ts-proto does. */
function toSafe(value: number): number {
  if (value > Number.MAX_SAFE_INTEGER) throw new Error('Value is larger than Number.MAX_SAFE_INTEGER');
  if (value < Number.MIN_SAFE_INTEGER) throw new Error('Value is smaller than Number.MIN_SAFE_INTEGER');
  return value;
}
