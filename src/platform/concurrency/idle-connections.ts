// The end of connections without a request, when the server closes. HTTP/1.1 has no message that asks a client to stop using one.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countOpenRequests } from './pipelining.ts';
import { REAL_TIMING, type Timing } from '../timing.ts';

interface Options {
  /** How long a connection must be quiet. */
  readonly quietMs: number;
  /** Called before a connection ends. Later requests of it must not be served: their response could not be sent. */
  readonly onEnd: (socket: Socket) => void;
  readonly timing?: Pick<Timing, 'sleep'>;
}

/** Time for which the input of an ended connection is discarded, so that a late request causes no reset. */
const LINGER_MS = 1_000;

/**
 * Replaces closeIdleConnections of a server, which its `close` calls too. Node's resets connections whose next request has arrived,
 * but was not read. This one ends only connections that were quiet, and discards what still arrives.
 */
export function endQuietConnections(server: Server, { quietMs, onEnd, timing = REAL_TIMING }: Options): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const closeIdle = server.closeIdleConnections.bind(server);

  /** Returns the connections that Node would destroy: those of which no part of a request has arrived. */
  function idleConnections(): ReadonlySet<Socket> {
    const idle = new Set<Socket>();
    for (const socket of open) socket.destroy = () => (countOpenRequests(socket) === 0 && idle.add(socket), socket);
    closeIdle();
    for (const socket of open) delete (socket as Partial<Socket>).destroy;
    return idle;
  }

  async function endQuiet(): Promise<void> {
    const bytesBefore = [...idleConnections()].map((socket) => [socket, socket.bytesRead] as const);
    await timing.sleep(quietMs);
    // The event loop reads what has arrived since.
    await nextTurn();
    const idle = idleConnections();
    for (const [socket, bytes] of bytesBefore) {
      if (!idle.has(socket) || socket.bytesRead !== bytes) continue;
      onEnd(socket);
      socket.end();
      const timer = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once('close', () => clearTimeout(timer));
    }
  }

  let isClosing = false;
  server.closeIdleConnections = () => {
    if (!isClosing) void endQuiet();
    isClosing = true;
  };
}
