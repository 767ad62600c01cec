// What the streams of one connection may have on their way together. grpc-js leaves it at the 64 kB of HTTP/2 (RFC 9113 section
// 6.9.2), which a few streams use up, and then starve each other and every other call; its own option would widen the window of
// each stream as well, and with it what slow readers hold in memory.
import { subscribe } from 'node:diagnostics_channel';
import type { Http2Session, Http2Stream } from 'node:http2';

const BYTES = 4 * 1024 * 1024;

const widened = new WeakSet<Http2Session>();
let subscribed = false;

function widen(message: unknown): void {
  const { session } = (message as { readonly stream: Http2Stream }).stream;
  if (!session || widened.has(session)) return;
  widened.add(session);
  // grpc-js waits for the connection before it makes streams, others do not.
  if (session.connecting) session.once('connect', () => session.setLocalWindowSize(BYTES));
  else session.setLocalWindowSize(BYTES);
}

/** Widens the window of every connection that this process opens or takes from now on. */
export function widenConnectionWindows(): void {
  if (subscribed) return;
  subscribed = true;
  subscribe('http2.server.stream.created', widen);
  subscribe('http2.client.stream.created', widen);
}
