// Corrections for every HTTP/2 connection that this process opens or accepts, missing in grpc-js 1.14 and Node.
import { subscribe } from 'node:diagnostics_channel';
import type { Http2Session, Http2Stream } from 'node:http2';

/**
 * Flow-control window shared by all streams of a connection. grpc-js keeps the 64 kB default of HTTP/2 (RFC 9113
 * section 6.9.2): all calls of a gateway together would send that much in a round trip. grpc-js's own option would also
 * widen the window of each stream, and so the memory that slow readers occupy.
 */
const WINDOW_BYTES = 4 * 1024 * 1024;

const prepared = new WeakSet<Http2Session>();
let subscribed = false;

/** Applies the corrections to every connection of this process from now on, when its first stream begins. */
export function prepareSessions(): void {
  if (subscribed) return;
  subscribed = true;
  subscribe('http2.server.stream.created', prepareSessionOf);
  subscribe('http2.client.stream.created', prepareSessionOf);
}

function prepareSessionOf(message: unknown): void {
  const { session } = (message as { readonly stream: Http2Stream }).stream;
  if (!session || prepared.has(session)) return;
  prepared.add(session);
  // grpc-js creates streams only after connecting; other libraries do not wait.
  if (session.connecting) session.once('connect', () => session.setLocalWindowSize(WINDOW_BYTES));
  else session.setLocalWindowSize(WINDOW_BYTES);
  answerPingsOfClosing(session);
}

/**
 * Node sends no ping on a closing session (GOAWAY sent or received) and returns undefined. grpc-js treats that as a
 * dead peer and destroys the session with its remaining streams.
 */
function answerPingsOfClosing(session: Http2Session): void {
  const ping = session.ping.bind(session) as (...args: readonly unknown[]) => boolean;
  session.ping = (...args: readonly unknown[]) => {
    if (!session.closed || session.destroyed) return ping(...args);
    const callback = args.at(-1);
    if (typeof callback === 'function') setImmediate(() => callback(null, 0, Buffer.alloc(8)));
    return true;
  };
}
