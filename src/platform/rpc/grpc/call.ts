import { type Channel, type StatusObject, status as grpcStatus } from '@grpc/grpc-js';
import { fromGrpcStatus, isFromCore } from '../errors/grpc-status.ts';
import { type RpcError, bareError } from '../errors/rpc-error.ts';
import type { CallOptions, MethodDefinition } from '../types.ts';
import type { CoreClocks } from './absolute-deadline.ts';
import { toMetadata } from './metadata.ts';

/** An open call, seen from the client. Allows one pending `send` and one pending `receive` at a time. */
export interface GrpcCall {
  /** Aborts when the call has ended, for any reason. */
  readonly over: AbortSignal;
  /** Settles when the transport is ready for more, or when the call has ended. */
  send(message: Buffer): Promise<void>;
  halfClose(): void;
  /** Returns the next response; undefined after the last. Rejects with RpcError if the call failed. */
  receive(): Promise<Buffer | undefined>;
  /** Why the call has no response from the server; undefined if it has one, or has not ended. */
  undelivered(): Undelivered | undefined;
  /** Ends the call. `receive` then rejects with the cause, if one is given. */
  cancel(cause?: unknown): void;
}

/**
 * `refused`: the server never processed the call. `lost`: the connection failed, and the server may have processed it.
 */
type Undelivered = 'refused' | 'lost';

/** How grpc-js words the error code REFUSED_STREAM. It does not expose the code itself. */
const REFUSED_STREAM = /^Stream refused by server$|NGHTTP2_REFUSED_STREAM/;

/** The parts shared by all calls to one target. */
interface GrpcConnection {
  readonly channel: Channel;
  readonly clocks: CoreClocks;
}

/**
 * Starts a call. Uses grpc-js's channel, one layer below its clients, which treats all four kinds of calls in the same
 * way.
 */
export function startGrpcCall(
  { channel, clocks }: GrpcConnection,
  { path, requestStream }: MethodDefinition,
  timeoutMs: number,
  options: CallOptions,
): GrpcCall {
  if (options.signal?.aborted === true) throw bareError('CANCELLED', options.requestId);
  const call = createCall(channel, path, timeoutMs, options);
  const over = new AbortController();
  let outcome: { readonly error: RpcError | undefined; readonly undelivered: Undelivered | undefined } | undefined;
  let cancelCause: unknown;
  let sending: PromiseWithResolvers<void> | undefined;
  let receiving: PromiseWithResolvers<Buffer | undefined> | undefined;

  let whole = !requestStream;
  let cancelling = false;

  const reset = () => call.cancelWithStatus(grpcStatus.CANCELLED, 'Cancelled by the caller');
  const cancel = (cause?: unknown) => {
    if (outcome !== undefined || cancelling) return;
    cancelling = true;
    cancelCause = cause;
    if (whole) return reset();
    const timer = setTimeout(reset, ABORT_SEND_TIMEOUT_MS);
    over.signal.addEventListener('abort', () => clearTimeout(timer));
    call.sendMessageWithContext({ callback: reset }, ABORTED_UPLOAD);
  };
  const cancelled = () => bareError('CANCELLED', options.requestId, cancelCause);
  const onAbort = () => cancel();

  const settle = () => {
    if (outcome?.error === undefined) receiving?.resolve(undefined);
    else receiving?.reject(outcome.error);
    sending?.resolve();
  };
  const metadata = toMetadata(options);
  clocks.announce(metadata, timeoutMs);
  const sentAt = clocks.now();
  call.start(metadata, {
    onReceiveMetadata() {},
    onReceiveMessage(message: Buffer) {
      receiving?.resolve(message);
      receiving = undefined;
    },
    onReceiveStatus(status: StatusObject) {
      options.signal?.removeEventListener('abort', onAbort);
      clocks.learn(status.metadata, sentAt);
      outcome = cancelling
        ? { error: cancelled(), undelivered: undefined }
        : { error: errorOf(status, options.requestId), undelivered: undeliveredBy(status) };
      settle();
      over.abort();
    },
  });
  options.signal?.addEventListener('abort', onAbort, { once: true });

  return {
    over: over.signal,
    send(message) {
      sending = Promise.withResolvers();
      if (outcome === undefined && !cancelling) {
        call.sendMessageWithContext({ callback: () => sending?.resolve() }, message);
      } else sending.resolve();
      return sending.promise;
    },
    halfClose() {
      if (outcome !== undefined || cancelling) return;
      whole = true;
      call.halfClose();
    },
    receive() {
      receiving = Promise.withResolvers();
      if (outcome === undefined) call.startRead();
      else settle();
      return receiving.promise;
    },
    undelivered: () => outcome?.undelivered,
    cancel,
  };
}

function createCall(channel: Channel, path: string, timeoutMs: number, { requestId }: CallOptions) {
  try {
    return channel.createCall(path, Date.now() + timeoutMs, null, null, null);
  } catch (cause) {
    throw bareError('SERVICE_UNAVAILABLE', requestId, cause); // the channel is closed
  }
}

function errorOf(status: StatusObject, requestId: string | undefined): RpcError | undefined {
  return status.code === grpcStatus.OK ? undefined : fromGrpcStatus(status, requestId);
}

function undeliveredBy(status: StatusObject): Undelivered | undefined {
  if (status.code !== grpcStatus.UNAVAILABLE || isFromCore(status)) return undefined;
  return REFUSED_STREAM.test(status.details) ? 'refused' : 'lost';
}

/**
 * The last message of an upload that its client aborts. Node's HTTP/2 ends a stream normally before it resets it, so an
 * aborted upload would look complete. No protobuf message begins with this byte (wire type 7), so servers without this
 * convention refuse the call too.
 */
export const ABORTED_UPLOAD: Buffer = Buffer.from([0x07]);

/**
 * How long the client waits for this message to be sent, in milliseconds. If the server does not read, the message is
 * not needed.
 */
const ABORT_SEND_TIMEOUT_MS = 50;
