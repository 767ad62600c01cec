// All uses of private parts of @grpc/grpc-js 1.14. Check each file's problem at every update.
import type { Server as Listener, Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';

/**
 * Returns a function that closes all connections at once and cancels their open calls. Tracks every connection of a bound
 * server from its first byte. grpc-js tracks only connections that have begun HTTP/2, and not even those if channelz is off: its
 * forceShutdown then closes none.
 */
export function trackConnections(server: Server): () => void {
  const open = new Set<Socket>();
  for (const listener of listenersOf(server)) {
    listener.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
  }
  return () => {
    for (const socket of open) socket.destroy();
  };
}

/** Returns the HTTP/2 servers of a bound server, one for each address. */
export function listenersOf(server: Server): Iterable<Listener> {
  return (server as unknown as { readonly http2Servers: ReadonlyMap<Listener, unknown> }).http2Servers.keys();
}
