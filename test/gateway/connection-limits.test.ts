// Connections above the limits are closed, while those within them are served.
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ConnectionLimit,
  createConnectionLimit,
  sharedAddresses,
} from '../../src/platform/process/connection-limit.ts';
import { planDescriptors } from '../../src/platform/process/create-connection-limits.ts';
import { grpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import { serveGrpc } from '../../src/platform/rpc/grpc/server.ts';
import { Echo, GOOD, echoHost } from '../rpc/pipeline/echo-host.ts';
import { gateway } from './gateway.ts';
import { responsesIn } from './raw-client.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Refusal {
  readonly bound: string;
  readonly address: string;
}

/** A limit for which no address is shared but the given ones. */
function limited(total: number, perAddress: number, shared: readonly string[] = []) {
  const refusals: Refusal[] = [];
  const limit = createConnectionLimit({
    total,
    perAddress,
    isExempt: (address) => shared.includes(address),
    onRefused: (bound, address) => refusals.push({ bound, address }),
  });
  return { limit, refusals };
}

async function serve(limit: ConnectionLimit): Promise<number> {
  const { app } = await gateway({}, limit.guard);
  await app.listen({ host: '127.0.0.1', port: 0 });
  closers.push(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  return (app.server.address() as AddressInfo).port;
}

/** A client's connection, from an address of this machine. */
function from(localAddress: string, port: number) {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).setEncoding('latin1');
  closers.push(() => socket.destroy());
  let received = '';
  socket.on('data', (chunk: string) => (received += chunk)).on('error', () => {});
  const ask = async () => {
    const before = responsesIn(received).length;
    socket.write('GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n');
    while (responsesIn(received).length === before && !socket.closed) {
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    }
    return responsesIn(received)[before];
  };
  return { socket, ask };
}

const closed = async (socket: Socket): Promise<void> => {
  if (!socket.closed) await once(socket, 'close');
};

describe('HTTP connections', () => {
  it('beyond the limit of their address get 503, while other addresses are served', async () => {
    const { limit, refusals } = limited(10, 2);
    const port = await serve(limit);
    const good = [from('127.0.0.1', port), from('127.0.0.1', port)];
    for (const { ask } of good) expect(await ask()).toMatchObject({ status: 200 });
    const refused = from('127.0.0.1', port);
    const response = await refused.ask();
    expect(response).toMatchObject({
      status: 503,
      headers: { connection: 'close', 'retry-after': '2', 'content-type': 'application/problem+json' },
    });
    expect(JSON.parse(response!.body)).toMatchObject({
      errorCode: 'service-unavailable',
      detail: 'Too many connections',
    });
    await closed(refused.socket);
    expect(refusals).toEqual([{ bound: 'address', address: '127.0.0.1' }]);
    expect(await from('127.0.0.2', port).ask()).toMatchObject({ status: 200 });
    for (const { ask } of good) expect(await ask()).toMatchObject({ status: 200 });
  });

  it('are accepted again as soon as others end', async () => {
    const { limit } = limited(10, 1);
    const port = await serve(limit);
    const first = from('127.0.0.1', port);
    expect(await first.ask()).toMatchObject({ status: 200 });
    first.socket.destroy();
    await expect.poll(() => limit.open).toBe(0);
    expect(await from('127.0.0.1', port).ask()).toMatchObject({ status: 200 });
  });

  it('of a trusted proxy have the total limit only', async () => {
    const { limit, refusals } = limited(4, 1, ['127.0.0.1']);
    const port = await serve(limit);
    for (let count = 0; count < 4; count += 1)
      expect(await from('127.0.0.1', port).ask()).toMatchObject({ status: 200 });
    expect(await from('127.0.0.1', port).ask()).toMatchObject({ status: 503 });
    expect(refusals).toEqual([{ bound: 'total', address: '127.0.0.1' }]);
  });

  it('are all closed without a request if 200 are rejected at once', async () => {
    const { limit, refusals } = limited(1, 1);
    const port = await serve(limit);
    expect(await from('127.0.0.1', port).ask()).toMatchObject({ status: 200 });
    const many = Array.from({ length: 200 }, () => from('127.0.0.1', port).socket);
    await Promise.all(many.map(closed));
    expect(refusals).toHaveLength(200);
    expect(limit.open).toBe(1);
  });
});

describe('gRPC connections', () => {
  it('beyond the limit are closed, and calls on the others continue', async () => {
    const { limit, refusals } = limited(10, 2);
    const { host, log } = echoHost();
    const server = await serveGrpc(host, { host: '127.0.0.1', port: 0, trustedGateways: [], log, guard: limit.guard });
    closers.push(() => server.close(0));
    const channel = grpcChannel({ target: server.address });
    closers.push(channel.close);
    const client = channel.client(Echo);
    await client.open({ text: 'a' }, GOOD);
    const sockets = Array.from({ length: 3 }, () => from('127.0.0.1', server.port).socket);
    await Promise.all(sockets.slice(1).map(closed));
    await client.open({ text: 'a' }, GOOD);
    const refusal = { bound: 'address', address: '127.0.0.1' };
    expect(refusals).toEqual([refusal, refusal]);
    expect(limit.open).toBe(2);
  });
});

describe('addresses that many clients share', () => {
  const isShared = sharedAddresses(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);
  it.each(['', '127.0.0.1', '127.9.9.9', '::1', '10.1.2.3', '192.0.2.7', '2001:db8:1::1'])(
    'include "%s"',
    (address) => {
      expect(isShared(address)).toBe(true);
    },
  );
  it.each(['192.0.2.8', '11.0.0.1', '2001:db9::1', '::2'])('do not include %s', (address) => {
    expect(isShared(address)).toBe(false);
  });
});

describe('the limit of file descriptors', () => {
  const needs = { http: 4_000, rpc: 1_000, management: 50, database: 10 };

  it('does not change the settings if it is high enough', () => {
    expect(planDescriptors(10_000, needs)).toEqual({ http: 4_000, rpc: 1_000, needed: 9_326, isLowered: false });
    expect(planDescriptors(Infinity, needs).isLowered).toBe(false);
  });

  it('lowers both settings in proportion if it is too low', () => {
    const { http, rpc, isLowered } = planDescriptors(1_024, needs);
    expect(isLowered).toBe(true);
    expect(2 * http + rpc + 256 + 50 + 20).toBeLessThanOrEqual(1_024);
    expect(http / rpc).toBeCloseTo(4, 0);
  });

  it('keeps the minimum of HTTP connections, and 0 gRPC connections without gRPC', () => {
    expect(planDescriptors(64, { ...needs, rpc: 0 })).toMatchObject({ http: 16, rpc: 0 });
  });
});
