import { connect } from 'node:net';
import { chmod, rm } from 'node:fs/promises';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerOptions } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { widenConnectionWindows } from './connection-window.ts';
import { registerMethods } from './grpc-methods.ts';
import { peerReader } from './grpc-peer.ts';
import type { Host } from './host.ts';

export interface GrpcServerOptions {
  /** Host name or address to listen on, or `unix:/path`. */
  readonly host: string;
  /** 0 picks a free one. Without meaning on a Unix socket. */
  readonly port: number;
  /** PEM. With `clientCa`, callers must show a certificate that it has signed. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer; readonly clientCa?: Buffer } | undefined;
  /** Certificate names (common name, DNS, URI) whose word on the client's address is believed. */
  readonly trustedGateways: readonly string[];
  readonly log: Logger;
}

export interface GrpcServer {
  readonly port: number;
  /** What a client takes for its target. */
  readonly address: string;
  /** Takes no more calls, lets those under way end, and cuts them off after this many milliseconds. */
  close(graceMs: number): Promise<void>;
}

const OPTIONS: ServerOptions = {
  'grpc.enable_channelz': 0,
  'grpc.max_concurrent_streams': 1000,
  'grpc.max_receive_message_length': 4 * 1024 * 1024,
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
  // So that clients resolve names again and balance over cores that came later.
  'grpc.max_connection_age_ms': 5 * 60_000,
  // Longer than the longest stream.
  'grpc.max_connection_age_grace_ms': 11 * 60_000,
};

/** Serves a host over gRPC. Rejects where the address cannot be listened on. */
export async function serveGrpc(host: Host, options: GrpcServerOptions): Promise<GrpcServer> {
  const socketPath = options.host.startsWith('unix:') ? options.host.slice('unix:'.length) : undefined;
  if (socketPath !== undefined) await removeStaleSocket(socketPath);

  widenConnectionWindows();
  const server = new Server(OPTIONS);
  registerMethods(server, host, peerReader(socketPath !== undefined, options.trustedGateways));
  const target = socketPath === undefined ? `${bracketed(options.host)}:${options.port}` : options.host;
  const port = await bind(server, target, credentials(options.tls));
  // Whoever reaches the socket is believed.
  if (socketPath !== undefined) await chmod(socketPath, 0o660);

  const address = socketPath === undefined ? `${bracketed(options.host)}:${port}` : options.host;
  options.log.info({ address, tls: options.tls !== undefined }, 'gRPC listens');
  return { port, address, close: (graceMs) => close(server, graceMs) };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function credentials(tls: GrpcServerOptions['tls']): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: tls.cert, private_key: tls.key };
  return ServerCredentials.createSsl(tls.clientCa ?? null, [pair], tls.clientCa !== undefined);
}

function bind(server: Server, target: string, serverCredentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, serverCredentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  });
}

async function close(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.forceShutdown(), graceMs);
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
