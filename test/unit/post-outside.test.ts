// Requests to URLs of tenants, by real servers of this machine.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPostOutside, type PostOutside } from '../../src/platform/http/post-outside.ts';
import type { HostAddress } from '../../src/platform/http/resolve-host.ts';
import { makeCertificates } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { listenLocally } from '../support/listen-locally.ts';

const LOOPBACK: HostAddress = { address: '127.0.0.1', family: 4 };
const NOT_ALLOWED = {
  kind: 'failed',
  error: 'no address of the host is global, and app.webhooks.allowed-networks does not contain one',
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Options = Partial<Parameters<typeof createPostOutside>[0]>;

function sender(options: Options = {}): PostOutside {
  const created = createPostOutside({
    allowedNetworks: ['127.0.0.1'],
    timeLimitMs: 5_000,
    resolveHost: async () => [LOOPBACK],
    ...options,
  });
  closing.push(() => created.close());
  return created;
}

const post = (url: string, { post: send }: PostOutside = sender(), body = '{}') =>
  send({ url, owner: 'acme', headers: { 'content-type': 'application/json' }, body: Buffer.from(body) });

async function serve(listener: RequestListener, server: Server = createServer(listener)) {
  const port = await listenLocally(server);
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return port;
}

const answer =
  (status: number, headers = {}) =>
  (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end('x');

describe('a request', () => {
  it('sends body and headers, and returns the status', async () => {
    const received: unknown[] = [];
    const port = await serve((request, response) => {
      void buffer(request).then((body) => {
        received.push(request.method, request.url, request.headers, body.toString());
        response.writeHead(202).end();
      });
    });
    expect(await post(`http://hooks.example:${port}/a?b=c`, sender(), '{"ä":1}')).toMatchObject({
      kind: 'answered',
      status: 202,
    });
    expect(received).toEqual([
      'POST',
      '/a?b=c',
      {
        host: `hooks.example:${port}`,
        'content-type': 'application/json',
        'content-length': '8',
        connection: 'keep-alive',
      },
      '{"ä":1}',
    ]);
  });

  it.each([200, 204, 301, 307, 400, 410, 500])('returns %i, and follows no redirect', async (status) => {
    let requests = 0;
    const port = await serve((request, response) => {
      requests += 1;
      answer(status, { location: '/elsewhere' })(request, response);
    });
    expect(await post(`http://hooks.example:${port}/`)).toMatchObject({ kind: 'answered', status });
    expect(requests).toBe(1);
  });

  it('returns the body of the response', async () => {
    const port = await serve((_request, response) => void response.writeHead(500).end('no such hook'));
    expect(await post(`http://hooks.example:${port}/`)).toEqual({
      kind: 'answered',
      status: 500,
      body: Buffer.from('no such hook'),
    });
  });

  it('uses a connection again, and opens another one if the receiver has closed it', async () => {
    const sockets = new Set<Socket>();
    const port = await serve((request, response) => {
      sockets.add(request.socket);
      answer(204)(request, response);
    });
    const shared = sender();
    for (const _ of [1, 2, 3])
      expect(await post(`http://hooks.example:${port}/`, shared)).toMatchObject({ status: 204 });
    expect(sockets.size).toBe(1);
    for (const socket of sockets) socket.resetAndDestroy();
    expect(await post(`http://hooks.example:${port}/`, shared)).toMatchObject({ status: 204 });
    expect(sockets.size).toBe(2);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['nothing', () => {}],
    ['a header without an end', (socket) => void socket.write('HTTP/1.1 200 OK\r\nx: ')],
    ['only interim responses', (socket) => void socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('ends after its time limit with %s', async (_what, begin) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      closing.push(() => socket.destroy());
      begin(socket);
    });
    const port = await listenLocally(server);
    closing.push(() => server.close());
    expect(await post(`http://hooks.example:${port}/`, sender({ timeLimitMs: 150 }))).toEqual({
      kind: 'failed',
      error: 'no response within 0.15 s',
    });
  });

  it('ends after its time limit while a name server does not answer', async () => {
    const slow = sender({ timeLimitMs: 150, resolveHost: () => new Promise(() => {}) });
    expect(await post('http://hooks.example/', slow)).toMatchObject({ error: 'no response within 0.15 s' });
  });

  it.each([
    ['an endless header', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}`, 'HPE_HEADER_OVERFLOW'],
    ['no HTTP', '+PONG\r\n', 'HPE_INVALID_CONSTANT'],
    ['no response', '', 'ECONNRESET'],
  ])('fails with %s', async (_what, content, error) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(content));
    });
    const port = await listenLocally(server);
    closing.push(() => server.close());
    expect(await post(`http://hooks.example:${port}/`)).toEqual({ kind: 'failed', error });
  });

  it.each(['HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 'HTTP/1.1 101 x\r\n\r\n'])(
    'ends with the response %j',
    async (content) => {
      const server = createTcpServer((socket) => {
        socket.on('error', () => {});
        closing.push(() => socket.destroy());
        socket.once('data', () => void socket.write(content));
      });
      const port = await listenLocally(server);
      closing.push(() => server.close());
      expect(await post(`http://hooks.example:${port}/`)).toMatchObject({ kind: 'answered', status: 101 });
    },
  );

  it('reads an endless body no further than needed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const port = await serve((_request, response) => {
      response.on('close', resolve);
      const chunk = Buffer.alloc(65_536);
      const fill = () =>
        void (response.destroyed || (response.write(chunk) ? setImmediate(fill) : response.once('drain', fill)));
      fill();
    });
    const response = await post(`http://hooks.example:${port}/`);
    expect(response).toMatchObject({ kind: 'answered', status: 200 });
    // The chunk that has passed the limit.
    expect((response as { body: Buffer }).body.length).toBeLessThan(200_000);
    await promise;
  });

  it('holds no connection of a body that comes byte by byte', async () => {
    let open = 0;
    const port = await serve((_request, response) => {
      open += 1;
      const drip = () => void (response.destroyed || response.write('x', () => setImmediate(drip)));
      drip();
      response.on('close', () => (open -= 1));
    });
    expect(await post(`http://hooks.example:${port}/`, sender({ timeLimitMs: 60_000 }))).toMatchObject({
      kind: 'answered',
      status: 200,
    });
    await eventually(() => expect(open).toBe(0));
  });

  it('ends when the process stops', async () => {
    const port = await serve(() => {});
    const stopping = new AbortController();
    const pending = sender().post({
      url: `http://hooks.example:${port}/`,
      owner: 'acme',
      headers: {},
      body: Buffer.alloc(0),
      signal: stopping.signal,
    });
    stopping.abort();
    expect(await pending).toEqual({ kind: 'failed', error: 'ABORT_ERR' });
  });
});

describe('the addresses of a host', () => {
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0x7f000001', '2130706433', '127.1', '0'])(
    'http://%s/ is not connected to',
    async (host) => {
      let requests = 0;
      const port = await serve((request, response) => {
        requests += 1;
        answer(204)(request, response);
      });
      expect(await post(`http://${host}:${port}/`, sender({ allowedNetworks: [] }))).toEqual(NOT_ALLOWED);
      expect(requests).toBe(0);
    },
  );

  it('are judged after the name is resolved', async () => {
    const port = await serve(answer(204));
    for (const name of ['localhost', 'hooks.localhost', 'LOCALHOST.'])
      expect(
        await post(`http://${name}:${port}/`, createPostOutside({ allowedNetworks: [], timeLimitMs: 5_000 })),
      ).toEqual(NOT_ALLOWED);
    expect(await post(`http://hooks.example:${port}/`, sender({ allowedNetworks: [] }))).toEqual(NOT_ALLOWED);
  });

  it('that cannot be resolved are not judged', async () => {
    const error = 'the host name was not found';
    const unknown = sender({ resolveHost: () => Promise.reject(new Error(error)) });
    expect(await post('http://hooks.example/', unknown)).toEqual({ kind: 'failed', error });
  });

  it('are judged again at each connection', async () => {
    const port = await serve(answer(204, { connection: 'close' }));
    const answers: HostAddress[] = [LOOPBACK, { address: '127.0.0.2', family: 4 }, LOOPBACK];
    const changing = sender({ resolveHost: async () => [answers.shift()!] });
    const outcomes = [];
    for (const _ of [1, 2, 3]) outcomes.push(await post(`http://hooks.example:${port}/`, changing));
    const answered = { kind: 'answered', status: 204 };
    expect(outcomes).toMatchObject([answered, NOT_ALLOWED, answered]);
  });

  it('are left out one by one', async () => {
    const port = await serve(answer(204));
    const both: readonly HostAddress[] = [{ address: '127.0.0.2', family: 4 }, { address: '::1', family: 6 }, LOOPBACK];
    expect(await post(`http://hooks.example:${port}/`, sender({ resolveHost: async () => both }))).toMatchObject({
      kind: 'answered',
      status: 204,
    });
  });
});

describe('TLS', () => {
  let certificates: ReturnType<typeof makeCertificates<'hooks'>>;
  beforeAll(() => {
    certificates = makeCertificates({ hooks: { commonName: 'hooks', alternative: 'DNS:hooks.example' } });
  });
  const serveTls = () => serve(answer(204), createTlsServer(certificates.hooks, answer(204)));

  it('checks the certificate for the name of the URL', async () => {
    const port = await serveTls();
    const trusting = sender({ ca: certificates.ca.toString() });
    expect(await post(`https://hooks.example:${port}/`, trusting)).toMatchObject({ kind: 'answered', status: 204 });
    expect(await post(`https://other.example:${port}/`, trusting)).toEqual({
      kind: 'failed',
      error: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    expect(await post(`https://hooks.example:${port}/`)).toEqual({
      kind: 'failed',
      error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });
});
