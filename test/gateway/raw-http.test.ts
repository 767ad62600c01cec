// Requests to which Node's HTTP server would respond by itself, or not at all.
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
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

/** Blocks GetMe until a later request has been answered. Its response still waits for the first one. */
function blockFirst(): { secondAnswered: () => Promise<void> } {
  const answers: ServerResponse[] = [];
  under.app.server.on('request', (_request, response) => void answers.push(response));
  const blocked = Promise.withResolvers<object>();
  under.core.respond(ME_RPC, () => blocked.promise);
  return {
    async secondAnswered() {
      await eventually(() => expect(answers.map(({ writableEnded }) => writableEnded)).toEqual([false, true]));
      blocked.resolve({});
    },
  };
}

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
    const [response, ...more] = await exchange(under.app, bytes);
    expect(more).toEqual([]);
    expect(response).toMatchObject({
      status,
      headers: { 'content-type': 'application/problem+json', connection: 'close' },
    });
    expect(JSON.parse(response?.body ?? '')).toMatchObject({
      status,
      errorCode,
      type: `urn:service:error:${errorCode}`,
    });
    expect(JSON.parse(response?.body ?? '').instance).toBe(instance);
  });

  it('does not affect other connections', async () => {
    await exchange(under.app, 'hello\r\n\r\n');
    expect(await exchange(under.app, lastly('GET /health/live'))).toMatchObject([{ status: 200 }]);
  });

  it('gets its error after the responses to earlier requests on the connection', async () => {
    const { secondAnswered } = blockFirst();
    const connection = await open(under.app);
    connection.socket.write(`${request('GET /api/v1/auth/me')}${request('GET /health/live')}hello\r\n\r\n`);
    await secondAnswered();
    const responses = await connection.closed();
    expect(responses.map(({ status }) => status)).toEqual([500, 200, 400]);
    expect(JSON.parse(responses[2]?.body ?? '')).not.toHaveProperty('instance');
  });

  it('returns 400 for an invalid chunked body', async () => {
    const head = request('POST /api/v1/auth/login', 'Content-Type: application/json', 'Transfer-Encoding: chunked');
    const [response] = await exchange(under.app, `${head}zz\r\n`);
    expect(response).toMatchObject({ status: 400 });
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ errorCode: 'validation-error' });
  });
});

describe('a request that is invalid by HTTP', () => {
  it('returns 400 without a Host header', async () => {
    const [response] = await exchange(under.app, 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(response).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(await exchange(under.app, 'GET /health/live HTTP/1.0\r\n\r\n')).toMatchObject([{ status: 200 }]);
  });

  it('returns 400 for CONNECT', async () => {
    const [response] = await exchange(under.app, 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n');
    expect(response).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
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
    const responses = await exchange(under.app, lastly('GET http://other.test/no<where>?a=b'));
    expect(responses).toMatchObject([{ status: 404 }]);
    expect(JSON.parse(responses[0]?.body ?? '').instance).toBe('/no%3Cwhere%3E');
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
    const { secondAnswered } = blockFirst();
    const connection = await open(under.app);
    connection.socket.write(`${request('GET /api/v1/auth/me')}${lastly('GET /nowhere')}`);
    await secondAnswered();
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
    const [response] = await exchange(under.app, request('GET /health/live', 'Transfer-Encoding: gzip, chunked'));
    expect(JSON.parse(response?.body ?? '')).toMatchObject({
      status: 501,
      errorCode: 'not-implemented',
      detail: 'The only transfer coding is chunked',
    });
  });

  it('accepts CHUNKED in any letter case and keeps the connection open', async () => {
    const chunks = `${post('1.1', 'Transfer-Encoding: CHUNKED')}2\r\n{}\r\n0\r\n\r\n`;
    const responses = await exchange(under.app, chunks + lastly('GET /health/live'));
    expect(responses.map(({ status }) => status)).toEqual([400, 200]);
  });
});
