// Every touch of the private parts of @grpc/grpc-js 1.14. Each file says what it works around; check them at an update.
// Imported by src/rpc/grpc and src/process.
import type { Server as Listener, Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';

/** The open connections of a server. */
export interface Connections {
  /** Ends them all at once, whatever they do: calls under way are cancelled. */
  cutOff(): void;
}

/**
 * Keeps count of every connection of a server that has been bound, from its first byte on. grpc-js itself knows only those that
 * have begun to speak HTTP/2, and forgets even them where channelz is off: its forceShutdown ends none then.
 */
export function trackConnections(server: Server): Connections {
  const open = new Set<Socket>();
  for (const listener of listenersOf(server)) {
    listener.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
  }
  return {
    cutOff() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** The HTTP/2 servers of a server that has been bound: one for each address. */
export function listenersOf(server: Server): Iterable<Listener> {
  return (server as unknown as { readonly http2Servers: ReadonlyMap<Listener, unknown> }).http2Servers.keys();
}
