// The connections of a server, of which grpc-js 1.14 says nothing. All uses of its private parts are in this folder. Check each file's
// problem at every update.
import type { Server as Listener, Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import { type PrivateUse, privateMembers } from '../../../private-members.ts';

const SERVERS: PrivateUse = {
  library: '@grpc/grpc-js',
  without: 'gRPC connections have no limits, and calls their usual costs',
};

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

/** Returns the HTTP/2 servers of a bound server, one for each address. None if this version of grpc-js does not show them. */
export function listenersOf(server: Server): Iterable<Listener> {
  type Bound = { readonly http2Servers: ReadonlyMap<Listener, unknown> };
  return privateMembers<Bound>(server, ['http2Servers'], SERVERS)?.http2Servers.keys() ?? [];
}
