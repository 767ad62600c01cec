// Bodies that arrive in many small parts, such as chunks of one byte. Node makes a buffer of each, which takes hundreds of times its size,
// and bodies are collected before their sender is known.
import { IncomingMessage } from './node-http.ts';

/** Larger parts are passed on as they are. */
const SMALL_BYTES = 1_024;
const STORE_BYTES = 4_096;
const NO_BYTES = Buffer.alloc(0);

/**
 * A request that joins the small parts of its body that arrive in the same turn of the event loop. Those of several turns share the
 * memory of one store.
 */
export class IncomingRequest extends IncomingMessage {
  #hasBegun = false;
  #store = NO_BYTES;
  /** The bytes of the store that are passed on, and those that are used. */
  #passed = 0;
  #used = 0;

  /** Node's parser calls this for each part of the body, and with null at its end. */
  override push(part: Buffer | null): boolean {
    // Most bodies have one part. It is not copied.
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (part === null || isFirst || part.length > SMALL_BYTES) {
      this.#passOn();
      return super.push(part);
    }
    if (this.#used + part.length > this.#store.length) {
      this.#passOn();
      this.#store = Buffer.allocUnsafeSlow(STORE_BYTES);
      this.#passed = this.#used = 0;
    }
    if (this.#passed === this.#used) setImmediate(() => this.#passOn());
    part.copy(this.#store, this.#used);
    this.#used += part.length;
    return this.readableLength + this.#used - this.#passed < this.readableHighWaterMark;
  }

  #passOn(): void {
    if (this.#passed === this.#used) return;
    const joined = this.#store.subarray(this.#passed, this.#used);
    this.#passed = this.#used;
    // A request that has ended or failed takes no more.
    if (!this.destroyed && !this.readableEnded) super.push(joined);
  }
}
