// Adapts grpc-js's four kinds of server calls to exchange.ts.
import { constants } from 'node:http2';
import type { Duplex, Writable } from 'node:stream';
import {
  Metadata,
  type Server,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type StatusObject,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { ServiceError } from '../../errors.ts';
import { MAX_MESSAGE_BYTES } from '../contract/contracts.ts';
import { toGrpcStatus } from '../errors/grpc-status.ts';
import type { RpcError } from '../errors/rpc-error.ts';
import type { Peer } from '../pipeline/client-address.ts';
import { type Ends, exchange } from '../pipeline/exchange.ts';
import { type Host, type Incoming, isProbe } from '../pipeline/host.ts';
import { requestIdFrom } from '../pipeline/request-id.ts';
import type { Method } from '../service.ts';
import { type CoreClock, createCoreClock } from './absolute-deadline.ts';
import { type CallTurn, createCallTurns } from './call-turns.ts';
import { ABORTED_UPLOAD } from './call.ts';
import { ownCopy, tooLargeViolation } from './message-frame.ts';
import { HeaderMetadata, fromMetadata, traceFromMetadata } from './metadata.ts';
import type { PeerOf } from './peer.ts';
import { type RequestBytes, releaseStream } from './request-bytes.ts';
import { type GrpcJsCall, type ServerCall, fromGrpcJs, streamOf } from './server-call.ts';
import type { UnaryCall, UnaryHandler } from './unary-call.ts';

/** The response is sent this much before the caller's deadline, so that it arrives in time. */
const MAX_MARGIN_MS = 250;
const MARGIN_SHARE = 0.1;

/**
 * Registers the methods of a host. grpc-js passes messages as bytes, so that the pipeline handles coding errors. Returns handlers of
 * the unary methods for serveUnaryCalls, by path.
 */
export function registerMethods(
  server: Server,
  host: Host,
  methods: readonly Method[],
  peerOf: PeerOf,
  requestBytes: RequestBytes,
): ReadonlyMap<string, UnaryHandler> {
  const bytes = (message: Buffer) => message;
  const clock = createCoreClock();
  const turnOf = createCallTurns();
  const unary = new Map<string, UnaryHandler>();
  for (const method of methods) {
    const isStream = method.definition.requestStream || method.definition.responseStream;
    const toFieldPath = host.contracts.get(method.definition.path)?.toFieldPath;
    const maxBytes = maxMessageBytes(host, method);
    const codec = codecs(method, maxBytes);
    const run: Run = (call, ends) => {
      const peer = peerOf(call.stream);
      // Streams run at the pace of their callers.
      const { stream } = call;
      const exchanged = { ...codec, ...ends };
      const keep =
        stream === undefined || peer.trusted
          ? undefined
          : (refuse: () => void) => {
              const request = ownCopy(exchanged.input as Buffer);
              exchanged.input = request;
              return requestBytes.keep(stream, sizeOf(call, request), refuse);
            };
      const turn = isStream ? undefined : turnOf(stream, peer.trusted, keep);
      const incoming = incomingOf(call, peer, clock, host.isTraced, turn);
      const fail = (error: RpcError) => {
        const status = toGrpcStatus(error.status, toFieldPath);
        status.metadata.set('x-clock', clock.stamp());
        return status;
      };
      return {
        outcome: exchange(host, method, incoming, exchanged),
        turn,
        idleMs: host.idleMs,
        trailers: () => ({ 'x-clock': clock.stamp(), 'x-request-id': incoming.requestId }),
        fail,
      };
    };
    const { path, requestStream, responseStream } = method.definition;
    const type = KINDS[`${requestStream}-${responseStream}`];
    server.register(path, HANDLERS[type](run), bytes, bytes, type);
    // Probes test grpc-js, which reads the streams and all unusual calls.
    if (!isStream && !isProbe(path))
      unary.set(path, {
        maxBytes,
        maxTimeoutMs: host.maxTimeoutMs,
        run: (call, input) => respondTo(call, run(call, { input, write: neverWritten })),
      });
  }
  return unary;
}

/** Returns the maximum size of a method's request message, in bytes. */
export function maxMessageBytes({ contracts }: Pick<Host, 'contracts'>, { definition }: Method): number {
  return contracts.get(definition.path)?.maxBytes ?? MAX_MESSAGE_BYTES;
}

type Run = (call: ServerCall, ends: Pick<Ends, 'input' | 'write'>) => Running;

interface Running {
  readonly outcome: Promise<unknown>;
  /** Undefined for calls with a stream. */
  readonly turn: CallTurn | undefined;
  /** How long the client may take to read the end of a failed stream, in milliseconds. */
  readonly idleMs: number;
  /** The trailers of a successful call: the request id and the clock. */
  trailers(): Readonly<Record<string, string>>;
  /** Converts an error to the final status of a failed call. */
  fail(error: RpcError): StatusObject;
}

type Kind = keyof typeof HANDLERS;

const KINDS: Record<`${boolean}-${boolean}`, Kind> = {
  'false-false': 'unary',
  'true-false': 'clientStream',
  'false-true': 'serverStream',
  'true-true': 'bidi',
};

const HANDLERS = {
  unary: (run: Run) => (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) =>
    respondOnce(run(fromGrpcJs(call), { input: call.request, write: neverWritten }), callback),
  clientStream: (run: Run) => (call: ServerReadableStream<Buffer, Buffer>, callback: sendUnaryData<Buffer>) =>
    respondOnce(run(fromGrpcJs(call), { input: read(call), write: neverWritten }), callback),
  serverStream: (run: Run) => (call: ServerWritableStream<Buffer, Buffer>) =>
    finish(run(fromGrpcJs(call), { input: call.request, write: writer(call) }), call),
  bidi: (run: Run) => (call: ServerDuplexStream<Buffer, Buffer>) =>
    finish(run(fromGrpcJs(call), { input: read(call), write: writer(call) }), call),
};

async function neverWritten(): Promise<void> {}

function respondTo(call: UnaryCall, { outcome, turn, trailers, fail }: Running): void {
  outcome.then(
    (response) => {
      turn?.respond((response as Buffer).length);
      call.respond(response as Buffer, trailers());
    },
    (error: RpcError) => call.fail(fail(error)),
  );
}

function respondOnce({ outcome, turn, trailers, fail }: Running, callback: sendUnaryData<Buffer>): void {
  outcome.then(
    (response) => {
      turn?.respond((response as Buffer).length);
      callback(null, response as Buffer, Metadata.fromHttp2Headers(trailers()));
    },
    (error: RpcError) => callback(fail(error)),
  );
}

/** The common part of both kinds of calls with a response stream. */
interface Streaming extends GrpcJsCall {
  emit(event: 'error', status: StatusObject): unknown;
  end(trailers: Metadata): unknown;
}

function finish({ outcome, idleMs, trailers, fail }: Running, call: Streaming): void {
  outcome.then(
    () => call.end(Metadata.fromHttp2Headers(trailers())),
    (error: RpcError) => {
      if (call.cancelled) return;
      // grpc-js reads the status of a stream from this event and ends the stream.
      call.emit('error', fail(error));
      resetUnread(call, idleMs);
    },
  );
}

/**
 * Resets the stream of a failed call whose client does not read it. The status follows the last message, so without this the
 * stream and the message would stay in memory as long as the connection.
 */
function resetUnread(call: Streaming, idleMs: number): void {
  const stream = streamOf(call);
  if (stream === undefined || stream.destroyed) return;
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), idleMs);
  stream.once('close', () => clearTimeout(timer));
}

/** Returns the size of a unary request with its headers. Those of grpc-js are counted since the start of the call. */
function sizeOf({ metadata }: ServerCall, request: Buffer): number {
  return request.length + (metadata instanceof HeaderMetadata ? metadata.size() : 0);
}

/**
 * Reads only the messages asked for. Stopping does not destroy the writable side. The first read comes after the check of the
 * credential. From then on, the limits of open uploads bound the bytes.
 */
async function* read(
  call: ServerReadableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>,
): AsyncGenerator<Buffer> {
  releaseStream(streamOf(call));
  yield* (call as unknown as Duplex).iterator({ destroyOnReturn: false });
  await assertWholeStream(call);
}

/**
 * A reset HTTP/2 stream ends like a complete one, so an aborted upload would look complete. Sending headers makes
 * grpc-js check the stream and report the cancellation before the next turn of the event loop.
 */
async function assertWholeStream(
  call: ServerReadableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>,
): Promise<void> {
  call.sendMetadata(new Metadata());
  await new Promise(setImmediate);
  if (call.cancelled) throw new ServiceError('CANCELLED');
}

/**
 * Writes one message at a time, because the stream's own buffer takes 16 messages of any size. After a cancellation, a
 * write never settles; the exchange no longer waits for it then.
 */
function writer(call: Writable): (message: unknown) => Promise<void> {
  return (message) => new Promise((resolve) => call.write(message, () => resolve()));
}

function codecs({ definition }: Method, maxBytes: number): Pick<Ends, 'receive' | 'respond'> {
  return {
    receive(arrived) {
      const bytes = arrived as Buffer;
      if (ABORTED_UPLOAD.equals(bytes)) throw new ServiceError('CANCELLED');
      if (bytes.length > maxBytes) throw tooLarge(maxBytes);
      try {
        return definition.requestDeserialize(bytes);
      } catch (cause) {
        throw new ServiceError('VALIDATION_ERROR', { detail: 'The message cannot be decoded', cause });
      }
    },
    respond: definition.responseSerialize,
  };
}

function tooLarge(maximum: number): ServiceError {
  return new ServiceError('MESSAGE_TOO_LARGE', { violations: [tooLargeViolation(maximum)] });
}

function incomingOf(
  call: ServerCall,
  peer: Peer,
  clock: CoreClock,
  isTraced: boolean,
  turn: CallTurn | undefined,
): Incoming & { readonly requestId: string } {
  const { requestId, clientAddress, sharedAddress, authorization, apiKey, accessCheckOnly } = fromMetadata(
    call.metadata,
  );
  return {
    deadlineAt: deadlineOf(call, clock),
    onCancel(cancel) {
      call.onCancel(cancel);
      return undefined;
    },
    waitForTurn: turn && ((deadline) => turn.begin(deadline)),
    peer,
    trace: isTraced ? traceFromMetadata(call.metadata) : undefined,
    requestId: requestIdFrom(requestId),
    clientAddress,
    sharedAddress,
    authorization,
    apiKey,
    accessCheckOnly,
  };
}

function deadlineOf(call: ServerCall, clock: CoreClock): number | undefined {
  const counted = call.deadlineAt;
  const at = Math.min(counted, clock.deadlineAt(call.metadata));
  if (at === Infinity) return undefined;
  // Uses the caller's full timeout, not the remaining time, because a late call's response takes just as long.
  const given = Math.max(counted - Date.now(), 0);
  return at - Math.min(given * MARGIN_SHARE, MAX_MARGIN_MS);
}
