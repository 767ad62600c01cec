// A gRPC server over the echo host, and what talks to it by the frame. Whatever a test opens is closed after it.
import { connect as connectHttp2 } from 'node:http2';
import { afterEach } from 'vitest';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { serveGrpc, type GrpcServerOptions } from '../../../src/platform/rpc/grpc/server.ts';
import type { HostOptions } from '../../../src/platform/rpc/pipeline/host.ts';
import { Echo, echoHost } from './echo-host.ts';
import { callHeaders, FLAG, FRAME, frame, headerBlock, rawConnection, type RawConnection } from './raw-http2.ts';

export const closers: (() => unknown)[] = [];

/** Closes after each test of a file what the test has opened. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });
}

/** Starts a server; the client calls it over a channel of its own. */
export async function serve(options: Partial<GrpcServerOptions> = {}, hostOptions: Partial<HostOptions> = {}) {
  const { host, log, calls, credentials, outcomes } = echoHost(hostOptions);
  const server = await serveGrpc(host, { host: '127.0.0.1', port: 0, trustedGateways: [], log, ...options });
  closers.push(() => server.close(0));
  const channel = grpcChannel({ target: server.address });
  closers.push(channel.close);
  return { server, calls, credentials, outcomes, client: channel.client(Echo) };
}

/** Connects without a client library. */
export async function raw(address: string, options?: { preface: boolean }): Promise<RawConnection> {
  const connection = await rawConnection(address, options);
  closers.push(() => connection.socket.destroy());
  return connection;
}

export const NOTHING = Buffer.alloc(0);
export const OPEN = headerBlock(callHeaders(Echo.open.path));

export function headersOf(stream: number, block = OPEN): Buffer {
  return frame(FRAME.headers, FLAG.endHeaders, stream, block);
}

/** Sends these bytes as the body of a call and returns its trailers. */
export async function sendFramed(address: string, body: Buffer, headers: Record<string, string> = {}) {
  const session = connectHttp2(`http://${address}`);
  closers.push(() => session.destroy());
  const stream = session.request({ ...callHeaders(Echo.open.path), ...headers }, { endStream: false });
  stream.end(body);
  stream.resume();
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    stream.once('response', resolve).once('error', reject);
  });
}
