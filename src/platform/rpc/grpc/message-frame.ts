// Messages as gRPC frames them in an HTTP/2 stream: a flag for compression, the length in 4 bytes, and the message.
import type { ReasonName } from '../../errors.ts';

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
  readonly message: string;
}

const SECOND_MESSAGE: Refusal = { reason: 'VALIDATION_ERROR', message: 'Received a second request message' };

/** Collects the only message of a call. Keeps nothing after a refusal. */
export class MessageCollector {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #collected = 0;
  /** The number of bytes of prefix and message, when it is known. */
  #whole = Infinity;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds the next bytes. Returns why they are refused. */
  add(chunk: Buffer): Refusal | undefined {
    this.#chunks.push(chunk);
    this.#collected += chunk.length;
    if (this.#whole === Infinity && this.#collected >= PREFIX_BYTES) {
      const length = this.#join().readUInt32BE(1);
      if (length > this.#maxBytes) return this.#tooLarge(length);
      this.#whole = PREFIX_BYTES + length;
    }
    // A part of a second message is refused too. So a call keeps no more bytes than its message has.
    if (this.#collected > this.#whole) return SECOND_MESSAGE;
    return undefined;
  }

  /** Returns the message; undefined if it is incomplete. */
  take(): Buffer | undefined {
    if (this.#collected < this.#whole) return undefined;
    const frame = this.#chunks.length === 1 ? this.#chunks[0]! : this.#join();
    return frame.subarray(PREFIX_BYTES);
  }

  /** Copies, because Node's chunks share memory with the bytes of other calls. */
  #join(): Buffer {
    const joined = Buffer.concat(this.#chunks, this.#collected);
    this.#chunks = [joined];
    return joined;
  }

  #tooLarge(length: number): Refusal {
    return {
      reason: 'MESSAGE_TOO_LARGE',
      message: `Received message larger than max (${length} vs ${this.#maxBytes})`,
    };
  }
}
