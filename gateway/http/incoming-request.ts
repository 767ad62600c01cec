// Bodies that arrive in many small parts, such as chunks of one byte. Node makes a buffer of each, which takes hundreds of times its size,
// and bodies are collected before their sender is known.
import { IncomingMessage } from './node-http.ts';

/** Larger parts are passed on as they are. */
const SMALL_BYTES = 1_024;
const STORE_BYTES = 4_096;

/** A request that joins the small parts of its body that arrive in the same turn of the event loop. */
export class IncomingRequest extends IncomingMessage {
  #hasBegun = false;
  #store: Buffer | undefined;
  #stored = 0;

  /** Node's parser calls this for each part of the body, and with null at its end. */
  override push(part: Buffer | null): boolean {
    // Most bodies have one part. It is not copied.
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (part === null || isFirst || part.length > SMALL_BYTES) {
      this.#passOn();
      return super.push(part);
    }
    if (this.#stored + part.length > STORE_BYTES) this.#passOn();
    if (this.#store === undefined) {
      this.#store = Buffer.allocUnsafeSlow(STORE_BYTES);
      setImmediate(() => this.#passOn());
    }
    part.copy(this.#store, this.#stored);
    this.#stored += part.length;
    return this.readableLength + this.#stored < this.readableHighWaterMark;
  }

  #passOn(): void {
    if (this.#store === undefined) return;
    const joined = this.#store.subarray(0, this.#stored);
    this.#store = undefined;
    this.#stored = 0;
    // A request that has ended or failed takes no more.
    if (!this.destroyed && !this.readableEnded) super.push(joined);
  }
}
