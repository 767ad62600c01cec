// The end of a connection, as the signal that cancels the calls of its requests.
import type { Socket } from 'node:net';
import { swapRemove } from '../../src/platform/concurrency/swap-remove.ts';
import type { CancelSignal } from '../../src/platform/rpc/types.ts';

const disconnections = new WeakMap<Socket, Disconnection>();

/**
 * Returns the signal that the client of a connection has disconnected. Requests of the connection share it: a listener of its socket
 * for each request would cost several times as much, and so does Node's own signal of a request. Fastify's signal also aborts when
 * the body has been read, because the request object closes then.
 */
export function disconnectionOf(socket: Socket): CancelSignal {
  let known = disconnections.get(socket);
  if (known === undefined) disconnections.set(socket, (known = new Disconnection(socket)));
  return known;
}

class Disconnection implements CancelSignal {
  readonly #socket: Socket;
  readonly #cancels: (() => void)[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.once('close', () => {
      for (const cancel of this.#cancels.splice(0)) cancel();
    });
  }

  get aborted(): boolean {
    return this.#socket.destroyed;
  }

  addEventListener(_type: 'abort', cancel: () => void): void {
    this.#cancels.push(cancel);
  }

  removeEventListener(_type: 'abort', cancel: () => void): void {
    swapRemove(this.#cancels, cancel);
  }
}
