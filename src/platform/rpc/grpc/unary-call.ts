// Unary calls without the stream, the timer and the chain of interceptors that grpc-js makes for each. See decision 69.
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { type Server, type StatusObject, status } from '@grpc/grpc-js';
import type { ReasonName } from '../../errors.ts';
import { MessageCollector, frameMessage } from './message-frame.ts';
import { HeaderMetadata } from './metadata.ts';
import { refusedMessage } from './patches/refused-message.ts';
import { ignoreError, takeStreams } from './patches/unary-streams.ts';
import { isPlainCall, timeoutOf } from './plain-call.ts';
import type { ServerCall } from './server-call.ts';

/** Runs a call with its complete request and responds to it. */
export type UnaryHandler = (call: UnaryCall, request: Buffer) => void;

const CONTENT_TYPE = 'application/grpc+proto';
/** As grpc-js sends them. */
const RESPONSE_HEADERS: readonly string[] = Object.entries({
  ':status': '200',
  'content-type': CONTENT_TYPE,
  'grpc-accept-encoding': 'identity,deflate,gzip',
  'grpc-encoding': 'identity',
}).flat();
const WITH_TRAILERS = { waitForTrailers: true };
const WITHOUT_BODY = { endStream: true };

/**
 * Serves the unary calls of a bound server that have nothing unusual. All other calls stay with grpc-js.
 *
 * @param handlers By path.
 * @param maxBytes Maximum size of a request message of any method.
 */
export function serveUnaryCalls(server: Server, handlers: ReadonlyMap<string, UnaryHandler>, maxBytes: number): void {
  const expectMessage = createExpectations();
  takeStreams(server, (stream, headers, rawHeaders) => {
    const handler = handlers.get(headers[':path']!);
    if (handler === undefined || !isPlainCall(headers, rawHeaders)) return false;
    const timeoutMs = timeoutOf(headers);
    if (timeoutMs === undefined) return false;
    expectMessage(new UnaryCall(stream, headers, timeoutMs, maxBytes, handler));
    return true;
  });
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
  #collector: MessageCollector | undefined;
  #timer: NodeJS.Timeout | undefined;
  #cancel: (() => void) | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    timeoutMs: number,
    maxBytes: number,
    handler: UnaryHandler,
  ) {
    this.stream = stream;
    this.metadata = new HeaderMetadata(headers);
    this.deadlineAt = Date.now() + timeoutMs;
    this.#collector = new MessageCollector(maxBytes);
    stream.on('error', ignoreError);
    stream.on('close', () => this.#close());
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.on('end', () => this.#run(handler));
  }

  onCancel(cancel: () => void): void {
    if (this.#isClosed()) cancel();
    else this.#cancel = cancel;
  }

  /** Ends the call at its deadline if the message has not arrived by then. Later, the pipeline ends it. */
  expectMessage(): void {
    if (this.#collector === undefined || this.deadlineAt === Infinity || this.#isClosed()) return;
    this.#timer = setTimeout(() => {
      this.#stopCollecting();
      this.#end(status.DEADLINE_EXCEEDED, 'Deadline exceeded', {});
    }, this.deadlineAt - Date.now());
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
    if (refusal !== undefined) this.#refuse(refusal.reason, refusal.message);
  }

  #run(handler: UnaryHandler): void {
    if (this.#collector === undefined) return;
    const request = this.#collector.take();
    if (request === undefined) return this.#refuse('VALIDATION_ERROR', 'Received no request message');
    this.#stopCollecting();
    handler(this, request);
  }

  #refuse(reason: ReasonName, message: string): void {
    this.#stopCollecting();
    this.fail(refusedMessage(reason, message, this.metadata.get('x-request-id')[0]));
  }

  #stopCollecting(): void {
    this.#collector = undefined;
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
