// Uploads: request bodies that are streamed to the core as they arrive. The timeout for whole requests does not apply to them.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RpcError } from '../../src/rpc/errors/rpc-error.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { withTimeout } from '../../src/concurrency/with-timeout.ts';

/** Timeout for the next bytes, in milliseconds. Less than the connection timeout, which would close without a response. */
const IDLE_MS = 25_000;
/** Minimum size in bytes of a chunk to the core, unless GATHER_MS pass or the body ends. */
const CHUNK_BYTES = 65_536;
/** Longest time to gather bytes for a chunk, in milliseconds. GATHER_MS + IDLE_MS is less than the core's timeout for a chunk. */
const GATHER_MS = 4_000;
/** How long to discard the rest of a body after an early response, in milliseconds, so that the client can read the response. */
const LINGER_MS = 5_000;

const uploads = new WeakSet<IncomingMessage>();

/** Whether the body of a request is an upload. */
export function isUpload(request: IncomingMessage | undefined): boolean {
  return request !== undefined && uploads.has(request);
}

/** An `onRequest` hook that marks the body of the request as an upload. */
export function acceptUpload(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  uploads.add(request.raw);
  done();
}

/** An `onResponse` hook that discards the unread rest of a body for LINGER_MS, then closes the connection. */
export function drainBody({ raw }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (!raw.readableEnded) {
    raw.unpipe().removeAllListeners('readable').removeAllListeners('data');
    // Deferred, because the stream registers the removal of its listeners only in the next tick.
    setImmediate(() => raw.resume());
    if (!raw.complete) {
      const timer = setTimeout(() => raw.destroy(), LINGER_MS);
      raw.once('close', () => clearTimeout(timer));
    }
  }
  done();
}

/** Returns the body in chunks for the core. Rejects with GatewayError REQUEST_TIMEOUT if no data arrives for 25 s. */
export function bodyOf({ raw }: FastifyRequest): AsyncGenerator<Buffer> {
  // Destroying the request would close its connection, so no response could be sent.
  return gather(withReadTimeout<Buffer>(raw.iterator({ destroyOnReturn: false })));
}

/** Joins small pieces into chunks of at least CHUNK_BYTES. The chunks of a slow client are smaller. */
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

/** Adds the read timeout to a stream from the client. Rejects with GatewayError REQUEST_TIMEOUT if no item arrives for 25 s. */
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

/** Awaits the RPC of an upload. If the gateway aborted the upload, rejects with the GatewayError that caused it. */
export async function unwrapGatewayError<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw error instanceof RpcError && error.cause instanceof GatewayError ? error.cause : error;
  });
}
