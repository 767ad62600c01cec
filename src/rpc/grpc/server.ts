// gRPC over the network, for servers and clients, by @grpc/grpc-js.
// Imported by src/process and the gateway.
import { connect, type Server as Listener } from 'node:net';
import { chmod, rm } from 'node:fs/promises';
import { experimental, Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerOptions } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { watchCertificates } from './certificates.ts';
import { listenersOf, trackConnections } from './patches/connections.ts';
import { MAX_MESSAGE_BYTES } from '../contract/contracts.ts';
import type { Connections } from './patches/connections.ts';
import { prepareSessions } from './patches/http2-sessions.ts';
import { reportFailedHandshakes } from './failed-handshakes.ts';
import { maxMessageBytes, registerMethods } from './methods.ts';
import { peerReader } from './peer.ts';
import type { Host } from '../pipeline/host.ts';
import { reflectionServices } from './reflection.ts';
import { limitSessions, UNKNOWN_CALLERS, type StreamResets } from './patches/session-limits.ts';
import { correctHeaders } from './patches/incoming-headers.ts';
import { answerPlainHttp } from './plain-http.ts';
import { explainRefusedMessages } from './patches/refused-message.ts';
import { compressResponses } from './patches/response-compression.ts';

export interface GrpcServerOptions {
  /** Host name or address to listen on, or `unix:/path`. */
  readonly host: string;
  /** 0 picks a free one. Without meaning on a Unix socket. */
  readonly port: number;
  readonly tls?: ServerTls | undefined;
  /** Certificate names (common name, DNS, URI) whose word on the client's address is believed. */
  readonly trustedGateways: readonly string[];
  /** Whether the server describes its services to callers without their protos. Default: it does not. */
  readonly reflection?: boolean;
  /** How many calls a connection may cancel. Default: UNKNOWN_CALLERS. */
  readonly streamResets?: StreamResets;
  /** Called for each TLS handshake that fails. */
  readonly onFailedHandshake?: () => void;
  /** Default: BOUNDS. */
  readonly bounds?: Partial<ConnectionBounds>;
  /** Refuses connections of a server that listens; default: none are refused. */
  readonly guard?: (listener: Listener) => void;
  readonly log: Logger;
}

/** Paths of PEM files, which are followed as they change. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** Authorities: callers must show a certificate that one of them has signed. */
  readonly clientCa?: string | undefined;
  /** How often the files are looked at, in milliseconds. */
  readonly reloadMs?: number;
}

/** Bounds of a connection in time, in milliseconds. */
export interface ConnectionBounds {
  /** After about this long, 10 % more or less, it takes no more calls, so that clients resolve names again and balance. */
  readonly maxAgeMs: number;
  /** How long after that the last call may take. */
  readonly maxAgeGraceMs: number;
  /** How often a peer must show that it still listens, even before its first call. */
  readonly keepaliveMs: number;
  /** How long it has to do so. */
  readonly keepaliveTimeoutMs: number;
}

export interface GrpcServer {
  readonly port: number;
  /** What a client takes for its target. */
  readonly address: string;
  /** Takes no more calls, lets those under way end, and cuts them off after this many milliseconds. */
  close(graceMs: number): Promise<void>;
}

/** The grace of the age is longer than the longest stream. */
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
  interceptors: [explainRefusedMessages, compressResponses],
  'grpc.enable_channelz': 0,
  'grpc.max_concurrent_streams': 1000,
  'grpc.max_receive_message_length': maxReceivedBytes,
  'grpc.keepalive_time_ms': keepaliveMs,
  'grpc.keepalive_timeout_ms': keepaliveTimeoutMs,
  'grpc.max_connection_age_ms': maxAgeMs,
  'grpc.max_connection_age_grace_ms': maxAgeGraceMs,
});

/** Serves a host over gRPC. Rejects where the address cannot be listened on. */
export async function serveGrpc(host: Host, options: GrpcServerOptions): Promise<GrpcServer> {
  const socketPath = options.host.startsWith('unix:') ? options.host.slice('unix:'.length) : undefined;
  if (socketPath !== undefined) await removeStaleSocket(socketPath);

  prepareSessions();
  const bounds = { ...BOUNDS, ...options.bounds };
  // The largest of all methods: grpc-js knows one bound, and each method checks its own.
  const maxReceivedBytes = Math.max(MAX_MESSAGE_BYTES, ...host.methods.map((method) => maxMessageBytes(host, method)));
  const server = new Server(serverOptions(bounds, maxReceivedBytes));
  limitSessions(server, options.streamResets ?? UNKNOWN_CALLERS);
  const peerOf = peerReader(socketPath !== undefined, options.trustedGateways);
  const extra = options.reflection === true ? reflectionServices(host.methods) : [];
  registerMethods(server, host, [...host.methods, ...extra.flatMap(({ methods }) => methods)], peerOf);
  const target = socketPath === undefined ? `${bracketed(options.host)}:${options.port}` : options.host;
  const port = await bind(server, target, credentials(options));
  answerPlainHttp(server, bounds.keepaliveTimeoutMs);
  reportFailedHandshakes(server, options.log, options.onFailedHandshake ?? (() => {}));
  const connections = trackConnections(server);
  correctHeaders(server);
  for (const listener of listenersOf(server)) options.guard?.(listener);
  // Whoever reaches the socket is believed.
  if (socketPath !== undefined) await chmod(socketPath, 0o660);

  const address = socketPath === undefined ? `${bracketed(options.host)}:${port}` : options.host;
  options.log.info({ address, tls: options.tls !== undefined }, 'gRPC listens');
  return { port, address, close: (graceMs) => close(server, connections, graceMs) };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function credentials({ tls, log }: GrpcServerOptions): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const { cert, key, clientCa, reloadMs } = tls;
  const provider = watchCertificates({ cert, key, ca: clientCa }, log, reloadMs);
  const authorities = clientCa === undefined ? null : provider;
  // The identity comes first, whatever the type calls it.
  return experimental.createCertificateProviderServerCredentials(provider, authorities, authorities !== null);
}

function bind(server: Server, target: string, serverCredentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, serverCredentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  });
}

async function close(server: Server, connections: Connections, graceMs: number): Promise<void> {
  const timer = setTimeout(connections.cutOff, graceMs);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  clearTimeout(timer);
}

/** A process that was killed leaves its socket file behind, and nobody could listen there again. */
async function removeStaleSocket(path: string): Promise<void> {
  const code = await new Promise<string | undefined>((resolve) => {
    const socket = connect(path, () => socket.end(() => resolve(undefined)));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  if (code === 'ECONNREFUSED') await rm(path, { force: true });
}
