// What grpc-js 1.14 and Node leave to be mended on every HTTP/2 connection that this process opens or accepts.
import { subscribe } from 'node:diagnostics_channel';
import type { Http2Session, Http2Stream } from 'node:http2';

/**
 * What the streams of one connection may have on their way together. grpc-js leaves it at the 64 kB of HTTP/2 (RFC 9113 section
 * 6.9.2), which a few streams use up, and then starve each other and every other call; its own option would widen the window of
 * each stream as well, and with it what slow readers hold in memory.
 */
const WINDOW_BYTES = 4 * 1024 * 1024;

const prepared = new WeakSet<Http2Session>();
let subscribed = false;

/** Prepares every connection of this process from now on, when its first stream begins. */
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
  // grpc-js waits for the connection before it makes streams, others do not.
  if (session.connecting) session.once('connect', () => session.setLocalWindowSize(WINDOW_BYTES));
  else session.setLocalWindowSize(WINDOW_BYTES);
  answerPingsOfClosing(session);
}

/**
 * Node sends no ping on a session that is closing (its GOAWAY is sent or received) and returns undefined. grpc-js takes that for a
 * dead peer and destroys the session, and with it the streams that the session was to carry to their end.
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
