// Requests to which Node's HTTP server would respond by itself, or not at all.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedCall } from '../support/fake-core.ts';
import { gateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';
import { exchange, open } from './raw-client.ts';

const ME_RPC = 'authservice.identity.v1.IdentityService/GetMe';

let under: GatewayUnderTest;

beforeEach(async () => {
  under = await gateway();
  await under.app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  under.app.server.closeAllConnections();
  await under.app.close();
});

/** Status line and header of the first answer, whatever frames its body. */
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

const request = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: h', ...headers, '', ''].join('\r\n');
const lastly = (line: string, ...headers: string[]): string => request(line, ...headers, 'Connection: close');

describe('a request that is not HTTP', () => {
  it.each<[what: string, bytes: string, status: number, errorCode: string, instance: string | undefined]>([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'validation-error', undefined],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'validation-error', undefined],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'validation-error', undefined],
    ['an unknown method', 'FETCH /a HTTP/1.1\r\nHost: h\r\n\r\n', 400, 'validation-error', '/a'],
    ['a header without a name', request('GET /a/b?c=d', ': x'), 400, 'validation-error', '/a/b'],
    ['a header with a control character', request('GET /a', 'X: a\x01b'), 400, 'validation-error', '/a'],
    ['a folded header', request('GET /a', 'X: a', ' b'), 400, 'validation-error', '/a'],
    ['two lengths', request('POST /a', 'Content-Length: 1', 'Content-Length: 2'), 400, 'validation-error', '/a'],
    [
      'a length and chunks',
      request('POST /a', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
      400,
      'validation-error',
      '/a',
    ],
    ['a negative length', request('POST /a', 'Content-Length: -1'), 400, 'validation-error', '/a'],
    ['too large a header', request('GET /a', `X: ${'x'.repeat(20_000)}`), 431, 'headers-too-large', '/a'],
    ['too large a path', request(`GET /${'x'.repeat(20_000)}`), 431, 'headers-too-large', `/${'x'.repeat(20_000)}`],
  ])('%s', async (_what, bytes, status, errorCode, instance) => {
    const [answer, ...more] = await exchange(under.app, bytes);
    expect(more).toEqual([]);
    expect(answer).toMatchObject({
      status,
      headers: { 'content-type': 'application/problem+json', connection: 'close' },
    });
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ status, errorCode, type: `urn:service:error:${errorCode}` });
    expect(JSON.parse(answer?.body ?? '').instance).toBe(instance);
  });

  it('does not affect other connections', async () => {
    await exchange(under.app, 'hello\r\n\r\n');
    expect(await exchange(under.app, lastly('GET /health/live'))).toMatchObject([{ status: 200 }]);
  });

  it('gets its error after the responses to earlier requests on the connection', async () => {
    under.core.answer(ME_RPC, () => setTimeout(20, {}));
    const connection = await open(under.app);
    connection.socket.write(`${request('GET /api/v1/auth/me')}${request('GET /health/live')}hello\r\n\r\n`);
    const answers = await connection.closed();
    expect(answers.map(({ status }) => status)).toEqual([500, 200, 400]);
    expect(JSON.parse(answers[2]?.body ?? '')).not.toHaveProperty('instance');
  });

  it('returns 400 for an invalid chunked body', async () => {
    const head = request('POST /api/v1/auth/login', 'Content-Type: application/json', 'Transfer-Encoding: chunked');
    const [answer] = await exchange(under.app, `${head}zz\r\n`);
    expect(answer).toMatchObject({ status: 400 });
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ errorCode: 'validation-error' });
  });
});

describe('a request that is invalid by HTTP', () => {
  it('returns 400 without a Host header', async () => {
    const [answer] = await exchange(under.app, 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(answer).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(await exchange(under.app, 'GET /health/live HTTP/1.0\r\n\r\n')).toMatchObject([{ status: 200 }]);
  });

  it('returns 400 for CONNECT', async () => {
    const [answer] = await exchange(under.app, 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n');
    expect(answer).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
  });
});

describe('an unusual but valid request', () => {
  it.each([
    ['an absolute target', lastly('GET http://other.test/health/live?a=b')],
    ['an expectation', lastly('GET /health/live', 'Expect: miracles')],
    ['an upgrade', lastly('GET /health/live', 'Upgrade: websocket')],
    ['empty lines before it', `\r\n\r\n${lastly('GET /health/live')}`],
  ])('gets 200 with %s', async (_what, bytes) => {
    expect(await exchange(under.app, bytes)).toMatchObject([{ status: 200 }]);
  });

  it('gets its path alone as the instance of a problem', async () => {
    const answers = await exchange(under.app, lastly('GET http://other.test/no<where>?a=b'));
    expect(answers).toMatchObject([{ status: 404 }]);
    expect(JSON.parse(answers[0]?.body ?? '').instance).toBe('/no%3Cwhere%3E');
  });

  it('has all its credentials forwarded unchanged', async () => {
    const headers = [
      'Authorization: Bearer a',
      'authorization: bearer \xe9',
      'X-Api-Key: k',
      'x-api-key: ',
      'Cookie: SERVICE_REFRESH=1',
      'Cookie: SERVICE_REFRESH=2',
    ];
    await exchange(under.app, lastly('GET /api/v1/auth/me', ...headers));
    await exchange(under.app, lastly('POST /api/v1/auth/refresh', ...headers));
    expect(under.core.calls).toMatchObject([
      { options: { authorization: ['Bearer a', 'bearer \xe9'], apiKey: ['k', ''] } },
      { input: { refreshTokens: ['1', '2'] } },
    ]);
  });

  it('gets its response in order if pipelined', async () => {
    under.core.answer(ME_RPC, () => setTimeout(20, {}));
    const connection = await open(under.app);
    connection.socket.write(`${request('GET /api/v1/auth/me')}${lastly('GET /nowhere')}`);
    expect((await connection.closed()).map(({ status }) => status)).toEqual([500, 404]);
  });
});

describe('a request that ends its connection', () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: h2c'];
  const post = (version: string, ...headers: string[]): string =>
    [`POST /api/v1/auth/login HTTP/${version}`, 'Host: h', 'Content-Type: application/json', ...headers, '', ''].join(
      '\r\n',
    );

  it.each([
    ['asks for an upgrade', request('GET /health/live', ...upgrade), 200],
    ['asks for an upgrade with a body', `${post('1.1', ...upgrade, 'Content-Length: 2')}{}`, 400],
    ['asks for an upgrade of an unknown path', request('GET /nowhere', ...upgrade), 404],
    [
      'is HTTP/1.0 in chunks',
      `${post('1.0', 'Connection: keep-alive', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
      400,
    ],
    ['is in chunks of gzip', `${post('1.1', 'Transfer-Encoding: gzip, chunked')}2\r\n{}\r\n0\r\n\r\n`, 501],
    [
      'is in chunks of chunks',
      `${post('1.1', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      400,
    ],
  ])('%s: gets Connection: close, and no later request is served', async (_what, bytes, status) => {
    const connection = await open(under.app);
    connection.socket.write(`${bytes}${request('GET /api/v1/auth/me')}`);
    connection.socket.write(request('GET /api/v1/auth/me'));
    expect(await connection.closed()).toMatchObject([{ status, headers: { connection: 'close' } }]);
    expect(under.core.calls).toEqual([]);
  });

  it('names the supported transfer coding in its 501', async () => {
    const [answer] = await exchange(under.app, request('GET /health/live', 'Transfer-Encoding: gzip, chunked'));
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({
      status: 501,
      errorCode: 'not-implemented',
      detail: 'The only transfer coding is chunked',
    });
  });

  it('accepts CHUNKED in any letter case and keeps the connection open', async () => {
    const chunks = `${post('1.1', 'Transfer-Encoding: CHUNKED')}2\r\n{}\r\n0\r\n\r\n`;
    const answers = await exchange(under.app, chunks + lastly('GET /health/live'));
    expect(answers.map(({ status }) => status)).toEqual([400, 200]);
  });
});

describe('every answer', () => {
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
    ['the page', lastly('GET /docs/'), 200],
  ])('has X-Content-Type-Options: nosniff: %s', async (_what, bytes, status) => {
    const { port } = under.app.server.address() as AddressInfo;
    const answer = await firstHead(port, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.match(/^x-content-type-options: nosniff\r$/gim)).toHaveLength(1);
  });
});

describe('a body too large', () => {
  it('gets a response before the client has sent the whole body, and the connection stays open', async () => {
    const connection = await open(under.app);
    const megabytes = 'x'.repeat(2 * 1024 * 1024);
    connection.socket.write(
      request('POST /api/v1/auth/login', 'Content-Type: application/json', `Content-Length: ${megabytes.length}`),
    );
    const [answer] = await connection.answers(1);
    connection.socket.write(megabytes);
    connection.socket.write(lastly('GET /health/live'));
    expect(answer).toMatchObject({ status: 413 });
    expect((await connection.closed()).map(({ status }) => status)).toEqual([413, 200]);
  });

  it('gets 413 if it is chunked', async () => {
    const { port } = under.app.server.address() as AddressInfo;
    const body = new Blob(['x'.repeat(1024 * 1024)]).stream();
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ errorCode: 'payload-too-large' });
  });
});

describe('a slow client', () => {
  it.each([
    ['its header', 'GET /health/live HTTP/1.1\r\nHost: h\r\n'],
    ['its body', request('POST /api/v1/auth/login', 'Content-Type: application/json', 'Content-Length: 100')],
  ])('gets 408 if it does not send %s', async (_what, bytes) => {
    under.app.server.headersTimeout = 50;
    under.app.server.requestTimeout = 100;
    const [answer] = await exchange(under.app, bytes);
    expect(answer).toMatchObject({ status: 408, headers: { 'content-type': 'application/problem+json' } });
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ errorCode: 'request-timeout' });
  });
});

describe('a client that disconnects', () => {
  const signalOfCall = async (bytes: string): Promise<AbortSignal | undefined> => {
    const called = Promise.withResolvers<RecordedCall>();
    const never = (call: RecordedCall): Promise<never> => {
      called.resolve(call);
      return new Promise(() => undefined);
    };
    under.core.answer(ME_RPC, never);
    under.core.answer('authservice.session.v1.SessionService/Login', never);
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
    if (!signal?.aborted) await once(signal!, 'abort');
    expect(signal?.aborted).toBe(true);
  });

  it('does not abort the call while it is connected, after its body was read', async () => {
    let signal: AbortSignal | undefined;
    under.core.answer('authservice.session.v1.SessionService/Logout', async ({ options }: RecordedCall) => {
      signal = options.signal;
      await setTimeout(50);
      return { refreshCookieName: 'SERVICE_REFRESH' };
    });
    const answers = await exchange(
      under.app,
      `${lastly('POST /api/v1/auth/logout', 'Content-Type: application/json', 'Content-Length: 2')}{}`,
    );
    expect(answers).toMatchObject([{ status: 200 }]);
    expect(signal?.aborted).toBe(false);
  });
});
