import type { Socket } from 'node:net';
import type { CancelSignal } from '../../src/platform/rpc/types.ts';

/**
 * The signal that a client has disconnected. Node's own signal of a request does the same at several times the cost. Fastify's
 * signal also aborts when the body has been read, because the request object closes then.
 */
export class Disconnection implements CancelSignal {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get aborted(): boolean {
    return this.#socket.destroyed;
  }

  addEventListener(_type: 'abort', cancel: () => void): void {
    this.#socket.once('close', cancel);
  }

  removeEventListener(_type: 'abort', cancel: () => void): void {
    this.#socket.removeListener('close', cancel);
  }
}
