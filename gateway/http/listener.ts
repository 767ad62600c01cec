// The HTTP/1.1 server below Fastify, one for each address of the host name. It sets limits and replaces Node's default responses.
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endQuietConnections } from '../../src/platform/concurrency/idle-connections.ts';
import { limitPipelining } from '../../src/platform/concurrency/pipelining.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { mustBeLast } from './framing.ts';
import { IncomingRequest } from './incoming-request.ts';
import { createServer } from './node-http.ts';

/** Maximum size of request line and headers together, in bytes. */
export const MAX_HEADER_BYTES = 16_384;

/** In milliseconds. */
const TIMEOUTS = {
  /** Until all headers of a request have arrived. For the first request, counted from the connection's start. */
  header: 10_000,
  /** Until a whole request has arrived. */
  request: 15_000,
  /** Interval at which Node checks the two timeouts above. */
  checkInterval: 1_000,
  /** For a connection without data while a request is in progress. */
  connection: 30_000,
  /** For an idle connection between two requests. Longer than the idle timeout of load balancers. */
  keepAlive: 72_000,
} as const;

/**
 * Refused connections that stay open for LINGER_MS, so that the client can read the response. Further ones are closed at once.
 */
const MAX_LINGERING = 64;
const LINGER_MS = 1_000;

/** Calls `refuse` for the connections of a server that exceed the limit. */
export type GuardConnections = (server: Server, refuse: (socket: Socket) => void) => void;

interface ListenerOptions {
  /** Responds to input that could not be parsed as a request. */
  readonly refuse: (error: Error, socket: Duplex) => void;
  readonly guard: GuardConnections | undefined;
  /** Called for each connection that closes because too many of its requests wait. */
  readonly onOverflow: () => void;
  /** The complete HTTP response for a connection beyond the limit. */
  readonly busyResponse: string;
  /** How long a connection must be quiet before the closing server ends it. */
  readonly quietMs: number;
}

/** Creates a server that does not listen yet. */
export function createListener(
  serve: RequestListener,
  { refuse, guard, onOverflow, busyResponse, quietMs }: ListenerOptions,
): Server {
  const ended = new WeakSet<Duplex>();
  const server = createServer(
    {
      IncomingMessage: IncomingRequest,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: TIMEOUTS.header,
      requestTimeout: TIMEOUTS.request,
      keepAliveTimeout: TIMEOUTS.keepAlive,
      connectionsCheckingInterval: TIMEOUTS.checkInterval,
      // Node's response has no body. The hooks of every request check the Host header instead.
      requireHostHeader: false,
      // The listeners that Fastify adds for further addresses would not respond to an upgrade request.
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
  // Each pipelined request that waits listens for the end of its connection. Their number is not a leak.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  server.on('clientError', refuse);
  // Replaces Node's responses without a body to an unknown Expect header and to CONNECT.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('connect', (_request, socket) =>
    refuse(new GatewayError('MALFORMED_REQUEST', 'CONNECT is not served'), socket),
  );
  limitPipelining(server, onOverflow);
  endQuietConnections(server, { quietMs, onEnd: (socket) => ended.add(socket) });
  guard?.(server, createConnectionRefuser(busyResponse));
  return server;
}

/**
 * Sends a response and closes the connection with a delay. An immediate reset would discard the response of a client that still
 * sends.
 */
function createConnectionRefuser(response: string): (socket: Socket) => void {
  let lingering = 0;
  return (socket) => {
    if (lingering >= MAX_LINGERING) return void socket.destroy();
    lingering += 1;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => {
      lingering -= 1;
      clearTimeout(timer);
    });
    socket.resume().end(response);
  };
}
