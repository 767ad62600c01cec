// Responses and connections of the HTTP server: headers of every response, large bodies, slow and disconnecting clients.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CancelSignal } from '../../src/platform/rpc/types.ts';
import type { RecordedCall } from '../support/fake-core.ts';
import { gateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';
import { exchange, lastly, open, request } from './raw-client.ts';

const ME_RPC = 'authservice.identity.v1.IdentityService/GetMe';

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await gateway();
  await under.app.listen({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => under.core.reset());
afterEach(() => under.app.server.closeAllConnections());
afterAll(() => under?.app.close());

/** Status line and header of the first response, whatever frames its body. */
async function firstHead(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.write(bytes);
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    if (received.includes('\r\n\r\n')) break;
  }
  return received.split('\r\n\r\n')[0]!.concat('\r\n');
}

describe('every response', () => {
  it.each([
    ['a good one', lastly('GET /health/live'), 200],
    ['an unknown path', lastly('GET /nowhere'), 404],
    ['a path that cannot be decoded', lastly('GET /%zz'), 400],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['no HTTP', 'hello\r\n\r\n', 400],
    [
      'a preflight',
      lastly('OPTIONS /api/v1/auth/me', 'Origin: https://shop.test', 'Access-Control-Request-Method: GET'),
      204,
    ],
    ['the page', lastly('GET /docs'), 200],
  ])('has X-Content-Type-Options: nosniff: %s', async (_what, bytes, status) => {
    const { port } = under.app.server.address() as AddressInfo;
    const response = await firstHead(port, bytes);
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(response.match(/^x-content-type-options: nosniff\r$/gim)).toHaveLength(1);
  });
});

describe('a body too large', () => {
  it('gets a response before the client has sent the whole body, and the connection stays open', async () => {
    const connection = await open(under.app);
    const megabytes = 'x'.repeat(2 * 1024 * 1024);
    connection.socket.write(
      request('POST /api/v1/auth/login', 'Content-Type: application/json', `Content-Length: ${megabytes.length}`),
    );
    const [response] = await connection.responses(1);
    connection.socket.write(megabytes);
    connection.socket.write(lastly('GET /health/live'));
    expect(response).toMatchObject({ status: 413 });
    expect((await connection.closed()).map(({ status }) => status)).toEqual([413, 200]);
  });

  it('gets 413 if it is chunked', async () => {
    const { port } = under.app.server.address() as AddressInfo;
    const body = new Blob(['x'.repeat(1024 * 1024)]).stream();
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ errorCode: 'payload-too-large' });
  });
});

describe('a slow client', () => {
  const limits = ['headersTimeout', 'requestTimeout'] as const;
  let usual: readonly number[];
  beforeAll(() => {
    usual = limits.map((limit) => under.app.server[limit]);
    under.app.server.headersTimeout = 50;
    under.app.server.requestTimeout = 100;
  });
  afterAll(() => limits.forEach((limit, index) => (under.app.server[limit] = usual[index]!)));

  it.each([
    ['its header', 'GET /health/live HTTP/1.1\r\nHost: h\r\n'],
    ['its body', request('POST /api/v1/auth/login', 'Content-Type: application/json', 'Content-Length: 100')],
  ])('gets 408 if it does not send %s', async (_what, bytes) => {
    const [response] = await exchange(under.app, bytes);
    expect(response).toMatchObject({ status: 408, headers: { 'content-type': 'application/problem+json' } });
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ errorCode: 'request-timeout' });
  });
});

describe('a client that disconnects', () => {
  const signalOfCall = async (bytes: string): Promise<CancelSignal | undefined> => {
    const called = Promise.withResolvers<RecordedCall>();
    const never = (call: RecordedCall): Promise<never> => {
      called.resolve(call);
      return new Promise(() => undefined);
    };
    under.core.respond(ME_RPC, never);
    under.core.respond('authservice.session.v1.SessionService/Login', never);
    const { socket } = await open(under.app);
    socket.write(bytes);
    const { options } = await called.promise;
    expect(options.signal?.aborted).toBe(false);
    socket.destroy();
    return options.signal;
  };

  const body = '{"username":"u","password":"p"}';
  it.each([
    ['GET', request('GET /api/v1/auth/me')],
    [
      'POST',
      request('POST /api/v1/auth/login', 'Content-Type: application/json', `Content-Length: ${body.length}`) + body,
    ],
  ])('aborts the call of its %s', async (_method, bytes) => {
    const signal = await signalOfCall(bytes);
    if (!signal?.aborted) await new Promise<void>((resolve) => signal!.addEventListener('abort', resolve));
    expect(signal?.aborted).toBe(true);
  });

  it('does not abort the call while it is connected, after its body was read', async () => {
    let isAborted: boolean | undefined;
    let requestEnded: Promise<unknown> | undefined;
    under.app.server.once('request', (incoming) => void (requestEnded = once(incoming, 'close')));
    under.core.respond('authservice.session.v1.SessionService/Logout', async ({ options }: RecordedCall) => {
      // Node emits it when the body has been read, not only when the client disconnects.
      await requestEnded;
      isAborted = options.signal?.aborted;
      return { refreshCookieName: 'SERVICE_REFRESH' };
    });
    const responses = await exchange(
      under.app,
      `${lastly('POST /api/v1/auth/logout', 'Content-Type: application/json', 'Content-Length: 2')}{}`,
    );
    expect(responses).toMatchObject([{ status: 200 }]);
    expect(isAborted).toBe(false);
  });
});
