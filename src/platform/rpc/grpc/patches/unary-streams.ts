// Passes streams by grpc-js 1.14, which builds a stream and a chain of interceptors for each unary call.
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { listenersOf } from './connections.ts';

/** Handles a new stream. Returns false, without a trace, if grpc-js has to handle it. */
export type TakeStream = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
) => boolean;

type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: readonly string[],
) => void;

/** Offers each stream of a bound server to `take` first. Call it after correctHeaders. */
export function takeStreams(server: Server, take: TakeStream): void {
  for (const listener of listenersOf(server)) {
    const others = listener.listeners('stream') as StreamListener[];
    listener.removeAllListeners('stream');
    listener.on('stream', (...event: Parameters<StreamListener>) => {
      const [stream, headers, , rawHeaders] = event;
      // Node also announces streams that their callers have already reset. grpc-js would respond to some of them, which throws.
      if (stream.destroyed || stream.closed) return void stream.on('error', ignoreError);
      if (take(stream, headers, rawHeaders)) return;
      for (const other of others) other.apply(listener, event);
    });
  }
}

/** For streams whose error says nothing that their end does not say. */
export function ignoreError(): void {}
