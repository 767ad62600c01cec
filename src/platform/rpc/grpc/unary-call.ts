// Unary calls without the stream, the timer and the chain of interceptors that grpc-js makes for each. See decision 69.
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type Server, type StatusObject, status } from '@grpc/grpc-js';
import type { ReasonName, Violation } from '../../errors.ts';
import { MessageCollector, frameMessage } from './message-frame.ts';
import { HeaderMetadata } from './metadata.ts';
import { refusedMessage } from './patches/refused-message.ts';
import { ignoreError, takeStreams } from './patches/unary-streams.ts';
import type { PeerOf } from './peer.ts';
import { isPlainCall, timeoutOf } from './plain-call.ts';
import { type KeptBytes, type RequestBytes, keepStream, sizeOfHeaders } from './request-bytes.ts';
import type { ServerCall } from './server-call.ts';

export interface UnaryHandler {
  /** Maximum size of the request message. */
  readonly maxBytes: number;
  /** How long the request may take to arrive if the caller allows more or names no timeout, in milliseconds. */
  readonly maxTimeoutMs: number;
  /** Runs a call with its complete request and responds to it. */
  run(call: UnaryCall, request: Buffer): void;
}

const CONTENT_TYPE = 'application/grpc+proto';
/** As grpc-js sends them. */
const RESPONSE_HEADERS: readonly string[] = Object.entries({
  ':status': '200',
  'content-type': CONTENT_TYPE,
  'grpc-accept-encoding': 'identity,deflate,gzip',
  'grpc-encoding': 'identity',
}).flat();
const WITH_TRAILERS = { waitForTrailers: true };
const NO_MESSAGE: Violation = { message: 'Received no request message' };
const TOO_MANY_BYTES: Violation = { message: 'Too many bytes of unfinished messages: send fewer calls at once' };
const WITHOUT_BODY = { endStream: true };

/**
 * Serves the unary calls of a bound server that have nothing unusual. All other calls stay with grpc-js.
 *
 * @param handlers By path.
 */
export function serveUnaryCalls(
  server: Server,
  handlers: ReadonlyMap<string, UnaryHandler>,
  peerOf: PeerOf,
  requestBytes: RequestBytes,
): void {
  const expectMessage = createExpectations();
  const keep: KeepBytes = (stream, bytes, end) =>
    peerOf(stream).trusted ? undefined : requestBytes.keep(stream, bytes, end);
  takeStreams(server, (stream, headers, rawHeaders) => {
    const handler = handlers.get(headers[':path']!);
    const timeoutMs = handler && isPlainCall(headers, rawHeaders) ? timeoutOf(headers) : undefined;
    if (handler === undefined || timeoutMs === undefined) {
      keepForGrpcJs(stream, headers, keep);
      return false;
    }
    expectMessage(new UnaryCall(stream, headers, timeoutMs, handler, keep));
    return true;
  });
}

/** Counts bytes that are kept for a call. Returns undefined if its connection is trusted. */
type KeepBytes = (stream: ServerHttp2Stream, bytes: number, end: () => void) => KeptBytes | undefined;

/**
 * Counts what grpc-js collects of a call. It pauses streams that it does not read, so this listener gets the same bytes. The reset is the
 * one that HTTP/2 has for excessive load, and gRPC clients read it as RESOURCE_EXHAUSTED.
 */
function keepForGrpcJs(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, keep: KeepBytes): void {
  const kept = keep(stream, sizeOfHeaders(headers), () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM));
  if (kept) keepStream(stream, kept);
}

/**
 * Creates a function that starts the timer of a call if its message does not arrive in the turn of its headers. Most messages do, and
 * a timer for each call would be the second one.
 */
function createExpectations(): (call: UnaryCall) => void {
  let calls: UnaryCall[] = [];
  const startTimers = () => {
    const expecting = calls;
    calls = [];
    for (const call of expecting) call.expectMessage();
  };
  return (call) => {
    if (calls.push(call) === 1) setImmediate(startTimers);
  };
}

/** A unary call from its first header to its last. Its stream holds it, so it needs no list of open calls. */
export class UnaryCall implements ServerCall {
  readonly metadata: HeaderMetadata;
  readonly stream: ServerHttp2Stream;
  readonly deadlineAt: number;
  readonly #handler: UnaryHandler;
  readonly #keep: KeepBytes;
  #kept: KeptBytes | undefined;
  #collector: MessageCollector | undefined;
  #timer: NodeJS.Timeout | undefined;
  #cancel: (() => void) | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    timeoutMs: number,
    handler: UnaryHandler,
    keep: KeepBytes,
  ) {
    this.stream = stream;
    this.metadata = new HeaderMetadata(headers);
    this.deadlineAt = Date.now() + timeoutMs;
    this.#handler = handler;
    this.#keep = keep;
    this.#collector = new MessageCollector(handler.maxBytes);
    stream.on('error', ignoreError);
    stream.on('close', () => this.#close());
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.on('end', () => this.#run());
  }

  onCancel(cancel: () => void): void {
    if (this.#isClosed()) cancel();
    else this.#cancel = cancel;
  }

  /** Bounds time and bytes of a message that has not arrived at once: ends the call at its deadline. Later, the pipeline ends it. */
  expectMessage(): void {
    if (this.#collector === undefined || this.#isClosed()) return;
    const timeoutMs = Math.min(this.deadlineAt - Date.now(), this.#handler.maxTimeoutMs);
    this.#timer = setTimeout(() => {
      this.#stopCollecting();
      this.#end(status.DEADLINE_EXCEEDED, 'Deadline exceeded', {});
    }, timeoutMs);
    const bytes = this.metadata.size() + this.#collector.size;
    this.#kept = this.#keep(this.stream, bytes, () => this.#refuse('TOO_MANY_REQUESTS', TOO_MANY_BYTES));
    if (this.#kept !== undefined) this.#collector?.detach();
  }

  /** Ends the call with a response. */
  respond(response: Buffer, trailers: Readonly<Record<string, string>>): void {
    if (this.#isClosed()) return;
    const { stream } = this;
    stream.respond([...RESPONSE_HEADERS], WITH_TRAILERS);
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'OK', ...trailers }));
    stream.end(frameMessage(response));
  }

  /** Ends the call without a response. */
  fail({ code, details, metadata }: StatusObject): void {
    this.#end(code, details, metadata.toHttp2Headers());
  }

  #end(code: status, details: string, trailers: Readonly<Record<string, unknown>>): void {
    if (this.#isClosed()) return;
    const outcome = { 'grpc-status': code, 'grpc-message': encodeURI(details) };
    this.stream.respond({ ':status': 200, 'content-type': CONTENT_TYPE, ...outcome, ...trailers }, WITHOUT_BODY);
  }

  #receive(chunk: Buffer): void {
    // After a refusal, further bytes are read and dropped. Otherwise, they would occupy the window of the connection.
    const refusal = this.#collector?.add(chunk);
    if (refusal !== undefined) this.#refuse(refusal.reason, refusal.violation);
    else this.#kept?.add(chunk.length);
  }

  #run(): void {
    if (this.#collector === undefined) return;
    const request = this.#collector.take();
    if (request === undefined) return this.#refuse('VALIDATION_ERROR', NO_MESSAGE);
    this.#stopCollecting();
    this.#handler.run(this, request);
  }

  #refuse(reason: ReasonName, violation: Violation): void {
    this.#stopCollecting();
    this.fail(refusedMessage(reason, violation, this.metadata.get('x-request-id')[0]));
  }

  #stopCollecting(): void {
    this.#collector = undefined;
    this.#kept?.release();
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  #close(): void {
    this.#stopCollecting();
    this.#cancel?.();
  }

  /** A stream can be destroyed before it says so. */
  #isClosed(): boolean {
    return this.stream.destroyed || this.stream.closed;
  }
}
