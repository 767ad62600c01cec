import type { ServerHttp2Stream } from 'node:http2';
import type { Metadata } from '@grpc/grpc-js';

/** The names and values that a caller sends beside its messages. */
export type CallMetadata = Pick<Metadata, 'get'>;

/** What all calls of a server have in common, whether grpc-js or unary-call.ts reads them. */
export interface ServerCall {
  readonly metadata: CallMetadata;
  /** Undefined if grpc-js has none. */
  readonly stream: ServerHttp2Stream | undefined;
  /** The deadline of `grpc-timeout` in Unix milliseconds; Infinity without one. */
  readonly deadlineAt: number;
  /** Calls `cancel` when the stream of the call closes, or at once if it is closed. It may also be called after the response. */
  onCancel(cancel: () => void): void;
}

/** The common part of grpc-js's four kinds of server calls. */
export interface GrpcJsCall {
  readonly metadata: Metadata;
  readonly cancelled: boolean;
  getDeadline(): Date | number;
  once(event: 'cancelled', listener: () => void): unknown;
}

/** Adapts a call of grpc-js. */
export function fromGrpcJs(call: GrpcJsCall): ServerCall {
  return {
    metadata: call.metadata,
    stream: streamOf(call),
    deadlineAt: Number(call.getDeadline()),
    onCancel(cancel) {
      if (call.cancelled) cancel();
      call.once('cancelled', cancel);
    },
  };
}

/** Returns the HTTP/2 stream of a call, which grpc-js does not expose. */
export function streamOf(call: GrpcJsCall): ServerHttp2Stream | undefined {
  return (call as { readonly call?: { readonly stream?: ServerHttp2Stream } }).call?.stream;
}
