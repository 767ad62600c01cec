// Limits the requests of one HTTP/1.1 connection that are in progress. Node emits every request of a chunk at once: 64 kB hold over
// 1,000 of them. Their responses may be larger than what the client reads.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type PrivateUse, privateMembers } from '../private-members.ts';
import { StartQueue } from './start-queue.ts';
import { swapRemove } from './swap-remove.ts';

interface PipeliningLimits {
  /** Maximum number of requests of a connection that run. Further ones wait, and the connection is not read meanwhile. */
  readonly maxRunning: number;
  /** Maximum number of requests of a connection that run or wait. Further ones are not served, and the connection closes. */
  readonly maxOpen: number;
  /** Maximum number of unsent bytes of a connection at which a second request of it may start. */
  readonly maxUnsentBytes: number;
  /** Maximum number of waiting requests of all connections that start in one turn of the event loop. */
  readonly maxStartsPerTurn: number;
}

export const PIPELINING_LIMITS: PipeliningLimits = {
  maxRunning: 8,
  maxOpen: 64,
  maxUnsentBytes: 65_536,
  maxStartsPerTurn: 16,
};

/** Time for which the input of a closing connection is discarded. A reset would discard responses that the client has not read. */
const LINGER_MS = 1_000;

/** Node's parser of a connection. Node calls `onIncoming` for each request, in order; it creates the response. */
interface Parser {
  onIncoming(request: IncomingMessage, keepAlive: boolean): number;
}

const PARSER: PrivateUse = { library: 'Node', without: 'all requests that a client sends at once start at once' };

/** `parser` is private to Node. Null after CONNECT. */
interface HttpSocket extends Socket {
  readonly parser: Parser | null;
}

const pipelines = new WeakMap<Duplex, Pipeline>();

/** Whether a connection has sent requests that have not started. */
export function hasWaitingRequests(socket: Duplex): boolean {
  return pipelines.get(socket)?.hasWaiting ?? false;
}

/** Returns the number of requests of a connection that run or wait. */
export function countOpenRequests(socket: Duplex): number {
  return pipelines.get(socket)?.openRequests ?? 0;
}

/**
 * Limits the requests in progress of each connection of a server. Requests start in order of arrival, and the order of responses
 * is unchanged. Call it before the limits of connections, and after adding the listener of requests.
 *
 * @param onOverflow Called for each connection that closes because its client has sent more than `maxOpen` requests.
 */
export function limitPipelining(server: Server, onOverflow: () => void, limits = PIPELINING_LIMITS): void {
  const startQueue = new StartQueue(limits.maxStartsPerTurn);
  server.on('connection', (socket) => pipelines.set(socket, new Pipeline(socket, limits, startQueue, onOverflow)));
  server.prependListener('request', ({ socket }, response) => pipelines.get(socket)?.follow(response));
}

class Pipeline {
  readonly #socket: Socket;
  readonly #limits: PipeliningLimits;
  readonly #startQueue: StartQueue;
  readonly #onOverflow: () => void;
  /** Starts a request that was held. Without a parser none is held. */
  #begin: Parser['onIncoming'] = () => 0;
  readonly #running: ServerResponse[] = [];
  #waiting: { readonly request: IncomingMessage; readonly keepAlive: boolean }[] = [];
  #isOverflown = false;

  constructor(socket: Socket, limits: PipeliningLimits, startQueue: StartQueue, onOverflow: () => void) {
    this.#socket = socket;
    this.#limits = limits;
    this.#startQueue = startQueue;
    this.#onOverflow = onOverflow;
    const parser = privateMembers<Parser>((socket as HttpSocket).parser, ['onIncoming'], PARSER);
    if (parser === undefined) return;
    this.#begin = parser.onIncoming;
    parser.onIncoming = (request, keepAlive) => this.#receive(request, keepAlive);
    socket.once('close', () => (this.#waiting = []));
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get openRequests(): number {
    return this.#running.length + this.#waiting.length;
  }

  /** Counts a request as running until its response has been sent. */
  follow(response: ServerResponse): void {
    this.#running.push(response);
    // Not `once`, which creates a further function: a response closes once.
    response.on('close', () => {
      swapRemove(this.#running, response);
      if (this.#waiting.length > 0) this.#startQueue.add(this);
    });
  }

  /** Starts the next waiting request if the limits permit. Returns whether another one may follow. */
  startNext(): boolean {
    const next = this.#canStart() ? this.#waiting.shift() : undefined;
    if (next === undefined) return false;
    const hasMore = this.#waiting.length > 0;
    this.#begin(next.request, next.keepAlive && (hasMore || !this.#isOverflown));
    if (!hasMore && !this.#isOverflown) this.#readAgain();
    return hasMore;
  }

  #receive(request: IncomingMessage, keepAlive: boolean): number {
    if (request.method === 'CONNECT') return this.#begin(request, keepAlive);
    if (this.#waiting.length === 0 && this.#running.length === 0) return this.#begin(request, keepAlive);
    // Node would take it for the request that ends the use of HTTP on the connection.
    (request as { upgrade?: boolean }).upgrade = false;
    if (this.openRequests < this.#limits.maxOpen) {
      this.#waiting.push({ request, keepAlive });
      this.#stopReading();
      this.#startQueue.add(this);
    } else if (!this.#isOverflown) this.#overflow();
    return 0;
  }

  #canStart(): boolean {
    const running = this.#running;
    if (running.length === 0) return true;
    if (running.length >= this.#limits.maxRunning) return false;
    let unsent = 0;
    for (const response of running) unsent += response.writableLength;
    return unsent <= this.#limits.maxUnsentBytes;
  }

  /** Node resumes the socket at each end of a request and after each response, so a pause alone would not last. */
  #stopReading(): void {
    this.#socket.resume = () => this.#socket;
    this.#socket.pause();
  }

  #readAgain(): void {
    const socket = this.#socket as HttpSocket;
    delete (socket as Partial<Socket>).resume;
    socket.resume();
    // Node's parser starts the reading of a resumed socket.
    if (socket.parser === null) socket._read(0);
  }

  /** The response to the last waiting request will announce the end of the connection (RFC 9112 section 9.6). */
  #overflow(): void {
    this.#isOverflown = true;
    this.#onOverflow();
    // Node calls it after the last response.
    this.#socket.destroySoon = () => this.#closeSlowly();
  }

  #closeSlowly(): void {
    const socket = this.#socket;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.removeAllListeners('data').on('data', () => {});
    this.#readAgain();
    socket._read(0);
    socket.end();
  }
}
