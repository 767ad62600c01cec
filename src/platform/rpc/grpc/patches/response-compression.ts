// Compresses responses if the caller compresses requests. grpc-js 1.14 servers read compressed requests but never
// compress responses.
import { gzip } from 'node:zlib';
import { Metadata, type ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { type PrivateUse, privateMembers } from '../../../private-members.ts';
import { frameMessage } from '../message-frame.ts';

/** Below this size in bytes, compression hardly helps. */
const MIN_BYTES = 1_024;

/** Private members of grpc-js's call below all interceptors. */
interface BaseCall {
  readonly incomingEncoding: string;
  serializeMessage(message: Buffer): Buffer;
  sendMetadata(metadata: Metadata): void;
  sendMessage(message: Buffer, callback: () => void): void;
}

const CALL: PrivateUse = { library: '@grpc/grpc-js', without: 'responses are not compressed' };
const MEMBERS = ['incomingEncoding', 'serializeMessage', 'sendMetadata', 'sendMessage'] as const;

/**
 * Compresses the responses to a call in the way its request is compressed (`grpc-encoding: gzip`), as servers in other
 * languages do.
 */
export const compressResponses: ServerInterceptor = (_method, call) => {
  const base = privateMembers<BaseCall>(call, MEMBERS, CALL);
  if (base?.incomingEncoding === 'gzip') compress(base);
  return call as ServerInterceptingCall;
};

function compress(call: BaseCall): void {
  const packed = new WeakSet<Buffer>();
  const sendMetadata = call.sendMetadata.bind(call);
  const sendMessage = call.sendMessage.bind(call);
  call.sendMetadata = (metadata) => {
    const sent = metadata.clone();
    sent.set('grpc-encoding', 'gzip');
    sendMetadata(sent);
  };
  call.serializeMessage = (message) => frameMessage(message, packed.has(message));
  call.sendMessage = (message, callback) => {
    if (message.length < MIN_BYTES) return sendMessage(message, callback);
    gzip(message, (error, bytes) => {
      if (error !== null || bytes.length >= message.length) return sendMessage(message, callback);
      packed.add(bytes);
      sendMessage(bytes, callback);
    });
  };
}
