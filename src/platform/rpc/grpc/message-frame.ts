// Messages as gRPC frames them in an HTTP/2 stream: a flag for compression, the length in 4 bytes, and the message.
import type { ReasonName, Violation } from '../../errors.ts';

const PREFIX_BYTES = 5;

/** Adds the prefix to a message. */
export function frameMessage(message: Buffer, isCompressed = false): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame[0] = isCompressed ? 1 : 0;
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, PREFIX_BYTES);
  return frame;
}

/** Why the bytes of a call are not one message. */
interface Refusal {
  readonly reason: ReasonName;
  readonly violation: Violation;
}

/** A message with the flag of compression, in a call without an encoding (gRPC's specification of compression). */
export const UNEXPECTED_COMPRESSION: Refusal = {
  reason: 'INTERNAL_ERROR',
  violation: { message: 'The message is flagged as compressed, but grpc-encoding names no compression' },
};

/** Whether a frame is flagged as not compressed. */
export const isPlainFrame = (frame: Buffer): boolean => frame[0] === 0;

const SECOND_MESSAGE: Refusal = {
  reason: 'VALIDATION_ERROR',
  violation: { message: 'Received a second request message' },
};

/** Returns what is wrong with a message of more than so many bytes. */
export function tooLargeViolation(maximum: number): Violation {
  return { message: `must have at most ${maximum} bytes`, format: 'size', params: { maximum } };
}

const SMALLEST_STORE_BYTES = 256;
const NO_BYTES = Buffer.alloc(0);

/** Returns bytes in memory of their own. The bytes of a call are a view of all data that was read at once, and keep its 64 kB alive. */
export function ownCopy(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Collects the only message of a call. Keeps nothing after a refusal. */
export class MessageCollector {
  readonly #maxBytes: number;
  /** The bytes of the call are its first `#collected` ones. */
  #store: Buffer = NO_BYTES;
  #collected = 0;
  /** The number of bytes of prefix and message, when it is known. */
  #whole = Infinity;
  #isDetached = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of bytes so far. */
  get size(): number {
    return this.#collected;
  }

  /** From now on, keeps memory of its own only, at most twice as much as it has bytes and a little more. */
  detach(): void {
    this.#isDetached = true;
    this.#store = ownCopy(this.#store);
  }

  /** Adds the next bytes. Returns why they are refused. */
  add(chunk: Buffer): Refusal | undefined {
    this.#keep(chunk);
    if (this.#whole === Infinity && this.#collected >= PREFIX_BYTES) {
      if (!isPlainFrame(this.#store)) return UNEXPECTED_COMPRESSION;
      const length = this.#store.readUInt32BE(1);
      if (length > this.#maxBytes) return { reason: 'MESSAGE_TOO_LARGE', violation: tooLargeViolation(this.#maxBytes) };
      this.#whole = PREFIX_BYTES + length;
    }
    // A part of a second message is refused too. So a call keeps no more bytes than its message has.
    if (this.#collected > this.#whole) return SECOND_MESSAGE;
    return undefined;
  }

  /** Returns the message; undefined if it is incomplete. */
  take(): Buffer | undefined {
    return this.#collected < this.#whole ? undefined : this.#store.subarray(PREFIX_BYTES, this.#collected);
  }

  /**
   * The only chunk of most calls is kept as it is, for a turn of the event loop. Several are copied, because each is an object and
   * shares memory with the bytes of other calls: a message that arrives byte by byte would take hundreds of times its size.
   */
  #keep(chunk: Buffer): void {
    const before = this.#collected;
    this.#collected += chunk.length;
    if (before === 0) {
      this.#store = this.#isDetached ? ownCopy(chunk) : chunk;
      return;
    }
    if (this.#collected > this.#store.length) {
      const roomy = Math.min(Math.max(2 * this.#collected, SMALLEST_STORE_BYTES), this.#whole);
      const store = Buffer.allocUnsafeSlow(Math.max(roomy, this.#collected));
      this.#store.copy(store, 0, 0, before);
      this.#store = store;
    }
    chunk.copy(this.#store, before);
  }
}
