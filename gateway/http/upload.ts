// Bodies that are passed on as they arrive, however long that takes: what holds for other requests, that a body comes whole
// within seconds, does not for these.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RpcError } from '../../src/rpc/errors/rpc-error.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { withTimeout } from '../../src/concurrency/with-timeout.ts';

/** For the next bytes, in milliseconds: less than a connection gets on which nothing moves, and that would end unanswered. */
const IDLE_MS = 25_000;
/** Least bytes of a chunk that goes to the core, if another one follows soon. */
const CHUNK_BYTES = 65_536;
/** For how long bytes are gathered, in milliseconds: with IDLE_MS, less than the core waits for the next chunk. */
const GATHER_MS = 4_000;
/** How long the rest of a body is discarded that was answered early, in milliseconds: the client must be able to see the answer. */
const LINGER_MS = 5_000;

const uploads = new WeakSet<IncomingMessage>();

/** Whether a request's body is an upload. */
export function isUpload(request: IncomingMessage | undefined): boolean {
  return request !== undefined && uploads.has(request);
}

/** A route's `onRequest` hook: its body is an upload. */
export function acceptUpload(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  uploads.add(request.raw);
  done();
}

/** A route's `onResponse` hook: discards what an early answer has left unread, for a while. */
export function drainBody({ raw }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (!raw.readableEnded) {
    raw.unpipe().removeAllListeners('readable').removeAllListeners('data');
    // Not before the stream has noticed that nobody listens any more.
    setImmediate(() => raw.resume());
    if (!raw.complete) {
      const timer = setTimeout(() => raw.destroy(), LINGER_MS);
      raw.once('close', () => clearTimeout(timer));
    }
  }
  done();
}

/** The body in chunks for the core. Rejects with GatewayError (408) where nothing comes for a while. */
export function bodyOf({ raw }: FastifyRequest): AsyncGenerator<Buffer> {
  // Ended with its connection, the request could not be answered any more.
  return gather(withReadTimeout<Buffer>(raw.iterator({ destroyOnReturn: false })));
}

/** Joins what a client sends in small pieces into chunks as the core wants them; a slow client's are shorter. */
export async function* gather(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let size = 0;
  let sentAt = performance.now();
  for await (const piece of pieces) {
    gathered.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES && performance.now() - sentAt < GATHER_MS) continue;
    if (size > 0) yield joined(gathered);
    gathered = [];
    size = 0;
    sentAt = performance.now();
  }
  if (size > 0) yield joined(gathered);
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/** A stream that comes from the client. Rejects as above. */
export async function* withReadTimeout<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await readWithTimeout(iterator.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    void iterator.return?.()?.catch(() => undefined);
  }
}

function readWithTimeout<T>(next: Promise<T>): Promise<T> {
  return withTimeout(next, IDLE_MS, () => new GatewayError('REQUEST_TIMEOUT', 'No upload data received for 25 s'));
}

/** Awaits the call that an upload goes to. Where the gateway itself broke the upload off, it rejects with why. */
export async function unwrapGatewayError<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw error instanceof RpcError && error.cause instanceof GatewayError ? error.cause : error;
  });
}
