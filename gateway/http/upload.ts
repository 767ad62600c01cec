// Uploads: request bodies that are streamed to the core as they arrive. The timeout for whole requests does not apply to them.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { withTimeout } from '../../src/platform/concurrency/with-timeout.ts';

/** Timeout for the next bytes, in milliseconds. Less than the connection timeout, which would close without a response. */
const IDLE_MS = 25_000;
/** Minimum size in bytes of a chunk to the core, unless GATHER_MS pass or the body ends. */
const CHUNK_BYTES = 65_536;
/** Maximum time to gather bytes for a chunk, in milliseconds. GATHER_MS + IDLE_MS is less than the core's timeout for a chunk. */
const GATHER_MS = 4_000;
/** Time for which the rest of a body is discarded after an early response, in ms. The client reads the response meanwhile. */
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

/**
 * Returns the body as messages for the core, each with a chunk of at least CHUNK_BYTES. The chunks of a slow client are
 * smaller. Rejects with GatewayError REQUEST_TIMEOUT if no data arrives for 25 s.
 */
export function readBody<Message>({ raw }: FastifyRequest, toMessage: (chunk: Buffer) => Message) {
  // Destroying the request would close its connection, so no response could be sent.
  return readChunks(raw.iterator({ destroyOnReturn: false }), toMessage);
}

/** As `readBody`, for any source of chunks. */
export async function* readChunks<Message>(
  chunks: AsyncIterable<Buffer>,
  toMessage: (chunk: Buffer) => Message,
): AsyncGenerator<Message> {
  const iterator = chunks[Symbol.asyncIterator]();
  let gathered: Buffer[] = [];
  let size = 0;
  let sentAt = performance.now();
  try {
    for (let next = await readNext(iterator); next.done !== true; next = await readNext(iterator)) {
      gathered.push(next.value);
      size += next.value.length;
      if (size < CHUNK_BYTES && performance.now() - sentAt < GATHER_MS) continue;
      if (size > 0) yield toMessage(joined(gathered));
      gathered = [];
      size = 0;
      sentAt = performance.now();
    }
    if (size > 0) yield toMessage(joined(gathered));
  } finally {
    stopReading(iterator);
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Reads the next item of a stream from the client. Rejects with GatewayError REQUEST_TIMEOUT if none arrives for 25 s. */
export function readNext<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T>> {
  return withTimeout(
    iterator.next(),
    IDLE_MS,
    () => new GatewayError('REQUEST_TIMEOUT', 'No upload data received for 25 s'),
  );
}

/** Stops a stream from the client without waiting for it. */
export function stopReading(iterator: AsyncIterator<unknown>): void {
  void iterator.return?.()?.catch(() => undefined);
}

/** Awaits the RPC of an upload. If the gateway aborted the upload, rejects with the GatewayError that caused it. */
export async function unwrapGatewayError<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw error instanceof RpcError && error.cause instanceof GatewayError ? error.cause : error;
  });
}
