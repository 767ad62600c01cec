// Bounds the calls of a gRPC connection that run at once, and the responses that its client does not read. Clients may send
// hundreds of calls in one packet.
import type { ServerHttp2Stream } from 'node:http2';
import type { Deadline } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import { StartQueue, type QueuedConnection } from '../../concurrency/start-queue.ts';
import type { KeptBytes } from './request-bytes.ts';

interface ConnectionLimits {
  /** Maximum number of calls of a connection that run or whose responses are not sent. Further ones wait. */
  readonly maxOpen: number;
  /** Further calls wait if more bytes of responses than this are not sent. */
  readonly maxUnsentBytes: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { maxOpen: 32, maxUnsentBytes: 1024 * 1024 };

/** Trusted gateways send the calls of many clients, each of which they bound themselves. They read all responses. */
export const GATEWAY_LIMITS: ConnectionLimits = { maxOpen: Infinity, maxUnsentBytes: 64 * 1024 * 1024 };

/** Maximum number of waiting calls of all connections that start in one turn of the event loop. */
const MAX_STARTS_PER_TURN = 32;

/** Counts the bytes of a request that waits. Calls the function if they are too many. */
type KeepRequest = (refuse: () => void) => KeptBytes;

const TOO_MANY_BYTES = 'the requests of this connection that wait for their turn have too many bytes';

/** The turn of a call among the calls of its connection. It ends when the stream of the call closes. */
export interface CallTurn {
  /** Returns undefined if the call may start at once. Rejects if the call ends before its turn. */
  begin(deadline: Deadline): Promise<void> | undefined;
  /** Counts the bytes of the response until they are sent. */
  respond(bytes: number): void;
}

/** Creates a function that returns the turn of a call. The first call of a connection starts at once. */
export function createCallTurns(): (
  stream: ServerHttp2Stream | undefined,
  isTrusted: boolean,
  /** Default: the waiting requests have no limit. */
  keep?: KeepRequest,
) => CallTurn {
  const startQueue = new StartQueue(MAX_STARTS_PER_TURN);
  const connections = new WeakMap<object, Connection>();
  return (stream, isTrusted, keep) => {
    if (stream?.session === undefined || stream.destroyed) return UNLIMITED_TURN;
    let connection = connections.get(stream.session);
    if (connection === undefined) {
      connection = new Connection(startQueue, isTrusted ? GATEWAY_LIMITS : CONNECTION_LIMITS);
      connections.set(stream.session, connection);
    }
    const turn = new ConnectionTurn(connection, keep);
    stream.on('close', () => turn.end());
    return turn;
  };
}

/** For calls whose connection is gone. They end at once. */
const UNLIMITED_TURN: CallTurn = { begin: () => undefined, respond() {} };

class ConnectionTurn implements CallTurn {
  readonly #connection: Connection;
  readonly #keep: KeepRequest | undefined;
  #hasBegun = false;
  #hasEnded = false;
  #unsentBytes = 0;

  constructor(connection: Connection, keep: KeepRequest | undefined) {
    this.#connection = connection;
    this.#keep = keep;
  }

  begin(deadline: Deadline): Promise<void> | undefined {
    if (this.#connection.beginNow()) {
      this.#hasBegun = true;
      return undefined;
    }
    const { signal } = deadline;
    return new Promise((resolve, reject) => {
      let kept: KeptBytes | undefined;
      const stopWaiting = () => {
        signal.removeEventListener('abort', abort);
        kept?.release();
      };
      const refuse = (error: Error) => {
        stopWaiting();
        this.#connection.forget(start);
        reject(error);
      };
      const abort = () => refuse(signal.reason as Error);
      const start = () => {
        stopWaiting();
        this.#hasBegun = true;
        resolve();
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#connection.wait(start);
      kept = this.#keep?.(() => refuse(new ServiceError('TOO_MANY_REQUESTS', { detail: TOO_MANY_BYTES })));
    });
  }

  respond(bytes: number): void {
    if (this.#hasEnded) return;
    this.#unsentBytes = bytes;
    this.#connection.unsentBytes += bytes;
  }

  end(): void {
    this.#hasEnded = true;
    if (this.#hasBegun) this.#connection.end(this.#unsentBytes);
  }
}

class Connection implements QueuedConnection {
  unsentBytes = 0;
  readonly #startQueue: StartQueue;
  readonly #limits: ConnectionLimits;
  /** Functions that start the waiting calls. */
  readonly #waiting = new Set<() => void>();
  #open = 0;

  constructor(startQueue: StartQueue, limits: ConnectionLimits) {
    this.#startQueue = startQueue;
    this.#limits = limits;
  }

  /** Begins a call if it is the only one, or if the limits permit and no other call waits. Returns whether it has begun. */
  beginNow(): boolean {
    const isFirst = this.#open === 0 && this.#waiting.size === 0;
    // A call that waits needs an AbortSignal and a turn of the event loop, which cost more than a small call.
    if (!isFirst && !(this.#waiting.size === 0 && this.#hasRoom() && this.#startQueue.takeStart())) return false;
    this.#open += 1;
    return true;
  }

  #hasRoom(): boolean {
    return this.#open < this.#limits.maxOpen && this.unsentBytes <= this.#limits.maxUnsentBytes;
  }

  wait(start: () => void): void {
    this.#waiting.add(start);
    this.#startQueue.add(this);
  }

  forget(start: () => void): void {
    this.#waiting.delete(start);
  }

  startNext(): boolean {
    if (!this.#hasRoom()) return false;
    const [start] = this.#waiting;
    if (start === undefined) return false;
    this.#waiting.delete(start);
    this.#open += 1;
    start();
    return this.#waiting.size > 0;
  }

  end(unsentBytes: number): void {
    this.#open -= 1;
    this.unsentBytes -= unsentBytes;
    if (this.#waiting.size > 0) this.#startQueue.add(this);
  }
}
