// gRPC servers and clients over the network, built on @grpc/grpc-js.
import { chmod, rm } from 'node:fs/promises';
import { type Server as Listener, type Socket, connect } from 'node:net';
import { Server, ServerCredentials, type ServerOptions, experimental } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { MAX_MESSAGE_BYTES } from '../contract/contracts.ts';
import type { Host } from '../pipeline/host.ts';
import { type ObserveCertificates, type Repeat, watchCertificates } from './certificates.ts';
import { maxMessageBytes, registerMethods } from './methods.ts';
import { listenersOf, trackConnections } from './patches/connections.ts';
import { prepareSessions } from './patches/http2-sessions.ts';
import { correctHeaders } from './patches/incoming-headers.ts';
import { explainRefusedMessages } from './patches/refused-message.ts';
import { createMessageReader } from './patches/request-messages.ts';
import { compressResponses } from './patches/response-compression.ts';
import { type StreamResets, UNKNOWN_CALLERS, limitSessions } from './patches/session-limits.ts';
import { peerReader } from './peer.ts';
import { respondToPlainHttp } from './plain-http.ts';
import { reflectionServices } from './reflection.ts';
import { type RequestBytesLimits, createRequestBytes } from './request-bytes.ts';
import { serveUnaryCalls } from './unary-call.ts';

export interface GrpcServerOptions {
  /** Host name or address to listen on, or `unix:/path`. */
  readonly host: string;
  /** 0 selects a free port. Ignored for a Unix socket. */
  readonly port: number;
  readonly tls?: ServerTls | undefined;
  /** Certificate names (common name, DNS, URI) of peers whose client addresses are trusted. */
  readonly trustedGateways: readonly string[];
  /** Whether the server offers reflection. Default: false. */
  readonly reflection?: boolean;
  /** How many calls a connection may cancel. Default: UNKNOWN_CALLERS. */
  readonly streamResets?: StreamResets;
  /** Called for each TLS handshake that fails. */
  readonly onFailedHandshake?: () => void;
  /** Receives the certificates in use. */
  readonly observeCertificates?: ObserveCertificates;
  /** Default: BOUNDS. */
  readonly bounds?: Partial<ConnectionBounds>;
  /** Default: REQUEST_BYTES_LIMITS. */
  readonly requestBytes?: RequestBytesLimits;
  /** Limits the connections of the listening server. Default: no limit. */
  readonly guard?: (listener: Listener) => void;
  readonly log: Logger;
}

/** Paths of PEM files. Changed files are reloaded. */
interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** Certificate authorities. Callers must present a certificate signed by one of them. */
  readonly clientCa?: string | undefined;
  /** When the files are checked. Default: every 5 s. */
  readonly repeat?: Repeat;
}

/** Time limits of a connection, in milliseconds. */
interface ConnectionBounds {
  /** After this time (± 10 %), the connection takes no more calls. Clients then resolve names again and rebalance. */
  readonly maxAgeMs: number;
  /** How long open calls may continue after that. */
  readonly maxAgeGraceMs: number;
  /** How often the server sends a keepalive ping, even before the first call. */
  readonly keepaliveMs: number;
  /** How long the peer may take to respond to the ping. */
  readonly keepaliveTimeoutMs: number;
}

export interface GrpcServer {
  readonly port: number;
  /** The target for clients. */
  readonly address: string;
  /** Accepts no more calls, waits for open calls and cancels them after this many milliseconds. */
  close(graceMs: number): Promise<void>;
}

/** The grace period is longer than the longest stream. */
const BOUNDS: ConnectionBounds = {
  maxAgeMs: 5 * 60_000,
  maxAgeGraceMs: 11 * 60_000,
  keepaliveMs: 60_000,
  keepaliveTimeoutMs: 20_000,
};

const serverOptions = (
  { maxAgeMs, maxAgeGraceMs, keepaliveMs, keepaliveTimeoutMs }: ConnectionBounds,
  maxReceivedBytes: number,
): ServerOptions => ({
  interceptors: [explainRefusedMessages, createMessageReader(), compressResponses],
  'grpc.enable_channelz': 0,
  'grpc.max_concurrent_streams': 1000,
  'grpc.max_receive_message_length': maxReceivedBytes,
  'grpc.keepalive_time_ms': keepaliveMs,
  'grpc.keepalive_timeout_ms': keepaliveTimeoutMs,
  'grpc.max_connection_age_ms': maxAgeMs,
  'grpc.max_connection_age_grace_ms': maxAgeGraceMs,
});

/** Serves a host over gRPC. Rejects if it cannot listen on the address. */
export async function serveGrpc(host: Host, options: GrpcServerOptions): Promise<GrpcServer> {
  const socketPath = options.host.startsWith('unix:') ? options.host.slice('unix:'.length) : undefined;
  if (socketPath !== undefined) await removeStaleSocket(socketPath);

  prepareSessions();
  const bounds = { ...BOUNDS, ...options.bounds };
  // The largest limit of all methods. grpc-js has only one limit; each method checks its own.
  const maxReceivedBytes = Math.max(MAX_MESSAGE_BYTES, ...host.methods.map((method) => maxMessageBytes(host, method)));
  const server = new Server(serverOptions(bounds, maxReceivedBytes));
  limitSessions(server, options.streamResets ?? UNKNOWN_CALLERS);
  const peerOf = peerReader(socketPath !== undefined, options.trustedGateways);
  const requestBytes = createRequestBytes(options.requestBytes);
  const extra = options.reflection === true ? reflectionServices(host.methods) : [];
  const unaryHandlers = registerMethods(
    server,
    host,
    [...host.methods, ...extra.flatMap(({ methods }) => methods)],
    peerOf,
    requestBytes,
  );
  const target = socketPath === undefined ? `${bracketed(options.host)}:${options.port}` : options.host;
  const port = await bind(server, target, credentials(options));
  respondToPlainHttp(server, bounds.keepaliveTimeoutMs);
  reportFailedHandshakes(server, options.log, options.onFailedHandshake ?? (() => {}));
  const cutOff = trackConnections(server);
  correctHeaders(server);
  serveUnaryCalls(server, unaryHandlers, peerOf, requestBytes);
  for (const listener of listenersOf(server)) options.guard?.(listener);
  // All peers on the Unix socket are trusted, so only owner and group may connect.
  if (socketPath !== undefined) await chmod(socketPath, 0o660);

  const address = socketPath === undefined ? `${bracketed(options.host)}:${port}` : options.host;
  options.log.info({ address, tls: options.tls !== undefined }, 'gRPC listens');
  return { port, address, close: (graceMs) => close(server, cutOff, graceMs) };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function credentials({ tls, log, observeCertificates }: GrpcServerOptions): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const { cert, key, clientCa, repeat } = tls;
  const provider = watchCertificates({ cert, key, ca: clientCa }, log, observeCertificates, repeat);
  const authorities = clientCa === undefined ? null : provider;
  // The identity is the first parameter, although the type names it differently.
  return experimental.createCertificateProviderServerCredentials(provider, authorities, authorities !== null);
}

function bind(server: Server, target: string, serverCredentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, serverCredentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  });
}

async function close(server: Server, cutOff: () => void, graceMs: number): Promise<void> {
  const timer = setTimeout(cutOff, graceMs);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  clearTimeout(timer);
}

/** Removes the socket file of a killed process, which would block listening. */
async function removeStaleSocket(path: string): Promise<void> {
  const code = await new Promise<string | undefined>((resolve) => {
    const socket = connect(path, () => socket.end(() => resolve(undefined)));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  if (code === 'ECONNREFUSED') await rm(path, { force: true });
}

/** Minimum time between log lines, in milliseconds. Scanners cause thousands of failures. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Counts and logs failed TLS handshakes of a bound server: no client certificate, an unknown authority, an old TLS
 * version, or plain text.
 *
 * @param count Called for each failure.
 */
function reportFailedHandshakes(server: Server, log: Logger, count: () => void): void {
  let silentUntil = 0;
  let unlogged = 0;
  for (const listener of listenersOf(server)) {
    listener.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Pick<Socket, 'remoteAddress'>) => {
      count();
      unlogged += 1;
      const now = performance.now();
      if (now < silentUntil) return;
      silentUntil = now + LOG_INTERVAL_MS;
      log.warn({ address: socket.remoteAddress, code: error.code, failures: unlogged }, 'TLS handshake failed');
      unlogged = 0;
    });
  }
}
