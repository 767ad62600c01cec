// The HTTP/1.1 server below Fastify, one for each address of a host name: its limits, and what Node would answer by itself.
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../errors/gateway-error.ts';
import { mustBeLast } from './framing.ts';

/** Bytes of a request's line and header together. */
export const MAX_HEADER_BYTES = 16_384;

/** All in milliseconds. */
const TIMEOUTS = {
  /** For a request's header to arrive, and for the first one after the connection is opened. */
  header: 10_000,
  /** For a whole request to arrive. */
  request: 15_000,
  /** How often the two above are looked at. */
  checkInterval: 1_000,
  /** For a connection on which nothing moves while a request is under way. */
  connection: 30_000,
  /** For a connection between two requests; longer than load balancers keep theirs. */
  keepAlive: 72_000,
} as const;

/** Refused connections that are kept for a moment, so that the client can read why; more are ended at once. */
const MAX_LINGERING = 64;
const LINGER_MS = 1_000;

/** Refuses the connections of a server that are too many. */
export type GuardConnections = (server: Server, refuse: (socket: Socket) => void) => void;

export interface ListenerOptions {
  /** Answers what is not a request. */
  readonly refuse: (error: Error, socket: Duplex) => void;
  readonly guard: GuardConnections | undefined;
  /** The whole answer to a connection that is one too many. */
  readonly busyAnswer: string;
}

/** Creates a server that does not listen yet. */
export function createListener(serve: RequestListener, { refuse, guard, busyAnswer }: ListenerOptions): Server {
  const ended = new WeakSet<Duplex>();
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: TIMEOUTS.header,
      requestTimeout: TIMEOUTS.request,
      keepAliveTimeout: TIMEOUTS.keepAlive,
      connectionsCheckingInterval: TIMEOUTS.checkInterval,
      // Node's own refusal has no body; the hooks of every request refuse it instead.
      requireHostHeader: false,
      // The listeners that Fastify adds for further addresses would leave such a request without an answer.
      shouldUpgradeCallback: () => false,
    },
    (request, response) => {
      if (ended.has(request.socket)) return;
      if (mustBeLast(request)) {
        ended.add(request.socket);
        response.shouldKeepAlive = false;
      }
      serve(request, response);
    },
  );
  server.setTimeout(TIMEOUTS.connection);
  server.on('clientError', refuse);
  // Two more answers without a body that Node gives by itself: to an unknown Expect header, and to CONNECT.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('connect', (_request, socket) =>
    refuse(new GatewayError('MALFORMED_REQUEST', 'CONNECT is not served'), socket),
  );
  guard?.(server, createTurnAway(busyAnswer));
  return server;
}

/** Ends connections with an answer, which a reset would take from a client that is still sending. */
function createTurnAway(answer: string): (socket: Socket) => void {
  let lingering = 0;
  return (socket) => {
    if (lingering >= MAX_LINGERING) return void socket.destroy();
    lingering += 1;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => {
      lingering -= 1;
      clearTimeout(timer);
    });
    socket.resume().end(answer);
  };
}
