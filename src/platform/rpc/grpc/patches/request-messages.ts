// Reads the messages of requests in bounded memory. grpc-js 1.14
// - keeps each part of a message, which can be a byte in a buffer of 64 kB that it shares with other calls,
// - takes a compressed message without an encoding for a plain one,
// - decompresses the messages of all calls of a connection at once: each can grow to the maximum size, before its caller is known.
import type { ServerHttp2Stream } from 'node:http2';
import type { Metadata, ServerInterceptingCall, ServerInterceptor } from '@grpc/grpc-js';
import { type PrivateUse, privateMembers } from '../../../private-members.ts';
import { isPlainFrame, UNEXPECTED_COMPRESSION } from '../message-frame.ts';
import { refusedMessage } from './refused-message.ts';

/** Private members of grpc-js's call below all interceptors. */
interface BaseCall {
  readonly stream: ServerHttp2Stream;
  readonly metadata: Metadata;
  handleDataFrame(data: Buffer): void;
  /** @param encoding `identity` if the flag of the message is not 1, whatever the encoding of the call is. */
  decompressMessage(frame: Buffer, encoding: string): Buffer | Promise<Buffer>;
}

const CALL: PrivateUse = {
  library: '@grpc/grpc-js',
  without: 'requests of streams take more memory until they are complete',
};
const MEMBERS = ['stream', 'metadata', 'handleDataFrame', 'decompressMessage'] as const;

/** Creates an interceptor for the calls of a server. It decompresses one message of a connection after the other. */
export function createMessageReader(): ServerInterceptor {
  const lastOf = new WeakMap<object, Promise<unknown>>();
  return (_method, call) => {
    const base = privateMembers<BaseCall>(call, MEMBERS, CALL);
    if (base === undefined) return call as ServerInterceptingCall;
    const handle = base.handleDataFrame.bind(base);
    const decompress = base.decompressMessage.bind(base);
    base.handleDataFrame = (data) => {
      const copy = Buffer.allocUnsafeSlow(data.length);
      data.copy(copy);
      handle(copy);
    };
    base.decompressMessage = (frame, encoding) => {
      if (encoding === 'identity') return isPlainFrame(frame) ? decompress(frame, encoding) : refuse(base);
      const connection = base.stream.session ?? base.stream;
      const decompressed = (lastOf.get(connection) ?? Promise.resolve()).then(() => decompress(frame, encoding));
      const settled = decompressed.catch(() => {});
      lastOf.set(connection, settled);
      return decompressed;
    };
    return call as ServerInterceptingCall;
  };
}

function refuse({ metadata }: BaseCall): Promise<never> {
  const { reason, violation } = UNEXPECTED_COMPRESSION;
  // grpc-js sends what it rejects with as the status of the call.
  return Promise.reject(refusedMessage(reason, violation, metadata.get('x-request-id')[0]));
}
