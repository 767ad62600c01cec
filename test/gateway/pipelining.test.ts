// Clients that send many requests on one connection without waiting for the responses.
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PIPELINING_LIMITS } from '../../src/platform/concurrency/pipelining.ts';
import type { RecordedCall } from '../support/fake-core.ts';
import { gateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';
import { lastly, open, request, type RawResponse } from './raw-client.ts';

const { maxRunning, maxOpen } = PIPELINING_LIMITS;
const ME_RPC = 'authservice.identity.v1.IdentityService/GetMe';
const LOGOUT_RPC = 'authservice.session.v1.SessionService/Logout';
const KEYS_RPC = 'authservice.key.v1.KeyService/GetJsonWebKeySet';
const KEYS = 'GET /.well-known/jwks.json';
const ME = 'GET /api/v1/auth/me';
/** Ids of the requests as the client sends them. */
const numbered = (count: number, line = ME): string =>
  Array.from({ length: count }, (_, index) => request(line, `X-Request-Id: r${index}`)).join('');
const idsOf = (responses: readonly RawResponse[]) => responses.map(({ headers }) => headers['x-request-id']);
const expectedIds = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`);

let under: GatewayUnderTest;
/** Calls of GetMe that have begun and not ended, in order. */
let running: PromiseWithResolvers<unknown>[];
let mostRunning: number;
let begun: number;
/** The server's side of each connection. */
let sockets: Socket[];

beforeEach(async () => {
  under = await gateway();
  running = [];
  mostRunning = 0;
  begun = 0;
  sockets = [];
  under.app.server.on('connection', (socket: Socket) => void sockets.push(socket));
  under.core.respond(ME_RPC, async (_call: RecordedCall) => {
    const call = Promise.withResolvers<unknown>();
    running.push(call);
    begun += 1;
    mostRunning = Math.max(mostRunning, running.length);
    return call.promise;
  });
  await under.app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  under.app.server.closeAllConnections();
  await under.app.close();
});

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await setImmediate();
}

/** Waits until no further call can begin: a request of another connection has been served. */
async function settled(): Promise<void> {
  const connection = await open(under.app);
  connection.socket.write(lastly('GET /health/live'));
  await connection.closed();
}

/** Ends all calls, also later ones. */
function endCalls(): void {
  under.core.respond(ME_RPC, () => {
    begun += 1;
    throw new Error('not needed');
  });
  for (const { reject } of running.splice(0)) reject(new Error('not needed'));
}

describe('a client that pipelines requests', () => {
  it('has few running, and gets all responses in order', async () => {
    const connection = await open(under.app);
    connection.socket.write(numbered(maxOpen));
    await until(() => running.length >= maxRunning);
    await settled();
    expect(mostRunning).toBe(maxRunning);
    running.shift()!.reject(new Error('not needed'));
    await until(() => begun === maxRunning + 1);
    endCalls();
    expect(idsOf(await connection.responses(maxOpen))).toEqual(expectedIds(maxOpen));
    expect(mostRunning).toBe(maxRunning);
  });

  it('keeps its connection afterwards', async () => {
    const connection = await open(under.app);
    connection.socket.write(numbered(maxOpen));
    await until(() => running.length === maxRunning);
    endCalls();
    await connection.responses(maxOpen);
    connection.socket.write(request('GET /health/live'));
    const responses = await connection.responses(maxOpen + 1);
    expect(responses.at(-1)).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
  });

  it('is not read while requests wait', async () => {
    const connection = await open(under.app);
    connection.socket.write(numbered(maxRunning + 1));
    await until(() => running.length === maxRunning);
    const { bytesRead } = socketOf(connection.socket.localPort!);
    connection.socket.write(numbered(20));
    await settled();
    expect(socketOf(connection.socket.localPort!).bytesRead).toBe(bytesRead);
    endCalls();
    await connection.responses(maxRunning + 21);
  });

  it(`gets ${maxOpen} responses if it sends more at once, of which the last closes the connection`, async () => {
    const connection = await open(under.app);
    connection.socket.write(numbered(20_000));
    await until(() => running.length === maxRunning);
    endCalls();
    const responses = await connection.closed();
    expect(idsOf(responses)).toEqual(expectedIds(maxOpen));
    expect(responses.map(({ headers }) => headers['connection'])).toEqual([
      ...Array<string>(maxOpen - 1).fill('keep-alive'),
      'close',
    ]);
    expect(begun).toBe(maxOpen);
    expect(await under.registry.getSingleMetricAsString('http_pipelining_overflows_total')).toMatch(/_total 1$/m);
  });

  it('has its waiting requests dropped when it disconnects', async () => {
    const connection = await open(under.app);
    connection.socket.write(numbered(20));
    await until(() => running.length === maxRunning);
    connection.socket.resetAndDestroy();
    await connection.closed();
    endCalls();
    await settled();
    await settled();
    expect(begun).toBe(maxRunning);
  });

  it('gets its responses before the response to a malformed request', async () => {
    const connection = await open(under.app);
    connection.socket.write(`${numbered(20)}hello\r\n\r\n`);
    await until(() => running.length === maxRunning);
    endCalls();
    const responses = await connection.closed();
    expect(idsOf(responses).slice(0, 20)).toEqual(expectedIds(20));
    expect(responses.slice(20).map(({ status }) => status)).toEqual([400]);
  });

  it('gets its responses before the response to CONNECT', async () => {
    const connection = await open(under.app);
    connection.socket.write(`${numbered(20)}${request('CONNECT h:1')}`);
    await until(() => running.length === maxRunning);
    endCalls();
    expect((await connection.closed()).map(({ status }) => status)).toEqual([...Array<number>(20).fill(500), 400]);
  });

  it('gets its responses before that of a waiting request for an upgrade, which closes the connection', async () => {
    const connection = await open(under.app);
    connection.socket.write(`${numbered(20)}${request('GET /health/live', 'Connection: Upgrade', 'Upgrade: h2c')}`);
    await until(() => running.length === maxRunning);
    endCalls();
    const responses = await connection.closed();
    expect(responses.map(({ status }) => status)).toEqual([...Array<number>(20).fill(500), 200]);
    expect(responses.at(-1)!.headers['connection']).toBe('close');
  });

  it('has its connection closed after a waiting request with Connection: close', async () => {
    const connection = await open(under.app);
    connection.socket.write(`${numbered(20)}${lastly('GET /health/live')}`);
    await until(() => running.length === maxRunning);
    endCalls();
    expect((await connection.closed()).map(({ status }) => status)).toEqual([...Array<number>(20).fill(500), 200]);
  });

  it('can send a waiting request whose body arrives later', async () => {
    under.core.respond(LOGOUT_RPC, { refreshCookieName: 'SERVICE_REFRESH' });
    const body = JSON.stringify({ refreshToken: 'x'.repeat(40_000) });
    const connection = await open(under.app);
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    connection.socket.write(`${numbered(maxRunning)}${request('POST /api/v1/auth/logout', ...headers)}`);
    connection.socket.write(body.slice(0, 10_000));
    await until(() => running.length === maxRunning);
    await settled();
    connection.socket.write(`${body.slice(10_000)}${numbered(2)}`);
    endCalls();
    const responses = await connection.responses(maxRunning + 3);
    expect(responses.map(({ status }) => status)).toEqual([...Array<number>(maxRunning).fill(500), 200, 500, 500]);
  });

  it('gets 100 Continue for a waiting request when it starts', async () => {
    const connection = await open(under.app);
    let received = '';
    connection.socket.on('data', (text: string) => (received += text));
    const headers = ['Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue'];
    connection.socket.write(`${numbered(maxRunning)}${request('POST /api/v1/auth/logout', ...headers)}`);
    await until(() => running.length === maxRunning);
    await settled();
    endCalls();
    await until(() => received.includes('HTTP/1.1 100 Continue\r\n\r\n'));
    connection.socket.write('{}');
    await until(() => received.includes('HTTP/1.1 200 OK'));
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([
      ...Array<string>(maxRunning).fill('HTTP/1.1 500'),
      'HTTP/1.1 100',
      'HTTP/1.1 200',
    ]);
  });

  // Node warns of a leak at 11 listeners.
  it('causes no warning while calls run', async () => {
    const warnings: Error[] = [];
    const record = (warning: Error) => void warnings.push(warning);
    process.on('warning', record);
    under.core.respond(ME_RPC, async ({ options }: RecordedCall) => {
      for (let count = 0; count < 3; count += 1) options.signal?.addEventListener('abort', () => undefined);
      begun += 1;
      await until(() => begun === maxRunning);
      throw new Error('not needed');
    });
    const connection = await open(under.app);
    connection.socket.write(numbered(maxRunning));
    await connection.responses(maxRunning);
    process.off('warning', record);
    expect(warnings).toEqual([]);
  });

  it('has its running requests served during a shutdown', async () => {
    const connection = await open(under.app);
    connection.socket.write(numbered(20));
    await until(() => running.length === maxRunning);
    const closing = under.app.close();
    await until(() => !under.app.server.listening);
    endCalls();
    const [first] = await connection.closed();
    await closing;
    expect(first).toMatchObject({ status: 500, headers: { connection: 'close' } });
  });
});

describe('a client that pipelines requests and does not read', () => {
  it('has one request running while output is unsent', async () => {
    let calls = 0;
    under.core.respond(KEYS_RPC, () => {
      calls += 1;
      return { json: JSON.stringify({ keys: [{ kty: 'x'.repeat(10_000_000) }] }) };
    });
    const connection = await open(under.app);
    connection.socket.pause();
    connection.socket.write(request(KEYS));
    await until(() => calls === 1 && socketOf(connection.socket.localPort!).writableLength > 0);
    connection.socket.write(numbered(3, KEYS));
    await settled();
    await settled();
    expect(calls).toBe(1);
    connection.socket.resume();
    await until(() => calls === 4);
  });
});

/** The server's side of a connection. */
function socketOf(remotePort: number) {
  const found = sockets.find((socket) => socket.remotePort === remotePort);
  if (!found) throw new Error('No such connection');
  return found;
}
