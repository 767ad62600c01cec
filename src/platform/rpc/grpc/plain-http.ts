// Responses for callers that send HTTP/1 to the gRPC port, such as a browser or curl with the wrong port.
import type { Server as Listener, Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import { listenersOf } from './patches/connections.ts';

/** The first bytes of every HTTP/2 client (RFC 9113 section 3.4). No HTTP/1 request begins with them. */
const PREFACE = Buffer.from('PRI ');

const TEXT = 'This port speaks gRPC over HTTP/2. The REST interface is at app.http.port of the gateway.\n';
const RESPONSE = [
  'HTTP/1.1 505 HTTP Version Not Supported',
  'Content-Type: text/plain; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(TEXT)}`,
  'Connection: close',
  '',
  TEXT,
].join('\r\n');

/**
 * Responds to plain-text connections that do not begin with HTTP/2, on a bound server. Node itself responds to TLS
 * callers that do not negotiate HTTP/2.
 *
 * @param waitMs How long a connection may send nothing, in milliseconds.
 */
export function respondToPlainHttp(server: Server, waitMs: number): void {
  for (const listener of listenersOf(server)) {
    if (!listener.listeners('secureConnection').length) watch(listener, waitMs);
  }
}

function isPreface(start: Buffer): boolean {
  return PREFACE.subarray(0, start.length).equals(start.subarray(0, PREFACE.length));
}

function watch(listener: Listener, waitMs: number): void {
  const [accept] = listener.listeners('connection') as ((socket: Socket) => void)[];
  if (accept === undefined) throw new Error('The HTTP/2 server has no listener for connections');
  listener.off('connection', accept);
  listener.on('connection', (socket) => {
    const timer = setTimeout(() => socket.destroy(), waitMs);
    const drop = () => socket.destroy();
    socket.once('error', drop);
    socket.once('close', () => clearTimeout(timer));
    socket.once('readable', function decide() {
      const start = socket.read() as Buffer | null;
      if (start === null) return drop();
      // The socket closes when the other side closes it, or at the timeout.
      if (!isPreface(start)) return void socket.resume().end(RESPONSE);
      clearTimeout(timer);
      socket.off('error', drop);
      socket.unshift(start);
      accept.call(listener, socket);
    });
  });
}
