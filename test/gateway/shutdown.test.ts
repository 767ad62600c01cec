import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endQuietConnections } from '../../src/platform/concurrency/idle-connections.ts';
import { limitPipelining } from '../../src/platform/concurrency/pipelining.ts';
import { eventually } from '../support/eventually.ts';
import { testTiming } from '../support/timing.ts';
import { gateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';
import { open } from './raw-client.ts';
import type { RawConnection } from './raw-client.ts';

const ME_RPC = 'authservice.identity.v1.IdentityService/GetMe';
const HEADER = 'HTTP/1.1\r\nHost: h\r\n';

interface Busy extends GatewayUnderTest {
  /** A connection whose request the core has not answered yet. */
  readonly busy: RawConnection;
  /** Lets the core answer it. */
  finish(): void;
}

async function busyGateway(): Promise<Busy> {
  const under = await gateway();
  const called = Promise.withResolvers<void>();
  const response = Promise.withResolvers<unknown>();
  under.core.respond(ME_RPC, () => {
    called.resolve();
    return response.promise;
  });
  await under.app.listen({ host: '127.0.0.1', port: 0 });
  const busy = await open(under.app);
  busy.socket.write(`GET /api/v1/auth/me ${HEADER}\r\n`);
  await called.promise;
  return { ...under, busy, finish: () => response.resolve({}) };
}

describe('close', () => {
  it('finishes open requests with Connection: close, and then ends at once', async () => {
    const { app, busy, finish } = await busyGateway();
    const idle = await open(app);
    const closing = app.close();
    await idle.closed();
    finish();
    expect(await busy.closed()).toMatchObject([{ status: 500, headers: { connection: 'close' } }]);
    await closing;
  });

  it('closes idle connections at once, used or not', async () => {
    const { app, finish } = await busyGateway();
    const [unused, used] = [await open(app), await open(app)];
    used.socket.write(`GET /health/live ${HEADER}\r\n`);
    await used.responses(1);
    const closing = app.close();
    expect(await unused.closed()).toEqual([]);
    expect(await used.closed()).toMatchObject([{ status: 200, headers: { connection: 'keep-alive' } }]);
    finish();
    await closing;
  });

  it('serves a request that is still arriving, and accepts no new connections', async () => {
    const { app, busy, finish } = await busyGateway();
    const arriving = await open(app);
    arriving.socket.write(`GET /health/live ${HEADER}`);
    const idle = await open(app);
    const closing = app.close();
    await idle.closed();
    arriving.socket.write('\r\n');
    expect(await arriving.closed()).toMatchObject([{ status: 200, headers: { connection: 'close' } }]);
    await expect(open(app)).rejects.toThrow();
    finish();
    await busy.closed();
    await closing;
  });
});

describe('from the signal until it closes', () => {
  async function stoppingGateway() {
    const stop = new AbortController();
    const under = await gateway({}, undefined, undefined, stop.signal);
    under.core.respond('grpc.health.v1.Health/Check', () => ({ status: 1 }));
    await under.app.listen({ host: '127.0.0.1', port: 0 });
    const used = await open(under.app);
    used.socket.write(`GET /health/ready ${HEADER}\r\n`);
    const [before] = await used.responses(1);
    stop.abort();
    return { ...under, used, before };
  }

  it('is not ready, and ends each connection after its next response', async () => {
    const { app, used, before } = await stoppingGateway();
    expect(before).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
    used.socket.write(`GET /health/ready ${HEADER}\r\n`);
    const [, after] = await used.closed();
    expect(after).toMatchObject({ status: 503, headers: { connection: 'close' } });
    await app.close();
  });

  it('serves new connections, and refusals end them, too', async () => {
    const { app } = await stoppingGateway();
    for (const [path, status] of [
      ['/health/live', 200],
      ['/unknown', 404],
      ['/api/v1/users?page=x', 400],
    ] as const) {
      const connection = await open(app);
      connection.socket.write(`GET ${path} ${HEADER}\r\n`);
      expect(await connection.closed()).toMatchObject([{ status, headers: { connection: 'close' } }]);
    }
    await app.close();
  });

  it('keeps a connection whose client still sends a body: a reset would discard the response', async () => {
    const { app } = await stoppingGateway();
    const connection = await open(app);
    connection.socket.write(`POST /unknown ${HEADER}Content-Length: 5\r\n\r\n12`);
    expect(await connection.responses(1)).toMatchObject([{ status: 404, headers: { connection: 'keep-alive' } }]);
    connection.socket.write(`345GET /health/live ${HEADER}\r\n`);
    expect((await connection.closed()).map(({ status, headers }) => [status, headers['connection']])).toEqual([
      [404, 'keep-alive'],
      [200, 'close'],
    ]);
    await app.close();
  });
});

describe('the end of quiet connections', () => {
  async function closingServer() {
    const timing = testTiming();
    const ended: Socket[] = [];
    const server = createServer((request, response) => {
      if (!ended.includes(request.socket)) response.setHeader('connection', 'close').end('served');
    });
    limitPipelining(server, () => {});
    endQuietConnections(server, { quietMs: 1_000, onEnd: (socket) => ended.push(socket), timing });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const accepted: Socket[] = [];
    server.on('connection', (socket) => accepted.push(socket));
    const client = async () => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      let text = '';
      const outcome = new Promise<string>((resolve) => {
        socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
        socket.once('error', ({ message }) => resolve(message)).once('end', () => resolve(text));
      });
      await once(socket, 'connect');
      return { socket, outcome };
    };
    const clients = [await client(), await client(), await client()] as const;
    await eventually(() => expect(accepted).toHaveLength(clients.length));
    const closed = once(server, 'close');
    server.close();
    return { timing, clients, accepted, closed, ended };
  }

  it('serves a request that arrives before, also in parts, and ends the other connections without a reset', async () => {
    const { timing, clients, accepted, closed, ended } = await closingServer();
    const [quiet, late, parts] = clients;
    late.socket.write(`GET / ${HEADER}\r\n`);
    parts.socket.write(`GET / ${HEADER}`);
    await eventually(() => expect(accepted.filter(({ bytesRead }) => bytesRead > 0)).toHaveLength(2));
    expect(await late.outcome).toContain('served');
    await timing.advance(999);
    expect(ended).toEqual([]);
    await timing.advance(1);
    expect(await quiet.outcome).toBe('');
    parts.socket.write('\r\n');
    expect(await parts.outcome).toContain('served');
    await closed;
    expect(ended).toHaveLength(1);
  });

  it('does not serve a request that arrives afterwards, and does not reset its connection', async () => {
    const { timing, clients, closed, ended } = await closingServer();
    await timing.advance(1_000);
    for (const { socket } of clients) socket.write(`POST / ${HEADER}Content-Length: 3\r\n\r\nabc`);
    expect(await Promise.all(clients.map(({ outcome }) => outcome))).toEqual(['', '', '']);
    await closed;
    expect(ended).toHaveLength(3);
  });
});
