// Bytes that are no HTTP request, or too much of one: each gets one whole response, and nothing behind it is run.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { exchangeRaw, rawRequest, sendRaw } from '../../support/raw-http.ts';
import { restClient } from '../../support/rest-client.ts';

const AUTH = '/api/v1/auth';
const LOGIN = `${AUTH}/login`;
const ME = `${AUTH}/me`;

const CHUNKED = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
const length = (value: string) => ['Content-Type: application/json', `Content-Length: ${value}`];
const login = (lines: readonly string[], body: string) => rawRequest(`POST ${LOGIN} HTTP/1.1`, lines, body);
const me = (...lines: string[]) => rawRequest(`GET ${ME} HTTP/1.1`, lines);
const line = (requestLine: string) => rawRequest(requestLine);

describe.each([
  { engine: 'sqlite', transport: 'local' },
  { engine: 'sqlite', transport: 'grpc' },
] as const)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let url: string;

  beforeAll(async () => {
    deployment = await deploy(kind);
    url = deployment.url;
  });
  afterEach(async () => {
    expect((await restClient(url).send('GET', '/health/ready')).body).toEqual({ status: 'UP' });
  });
  afterAll(() => deployment?.close());

  describe('400: not an HTTP request', () => {
    it.each<[what: string, bytes: Buffer | string, instance?: string]>([
      ['garbage', 'hello\r\n\r\n'],
      ['a TLS greeting', Buffer.from('16030100f8010000f40303', 'hex')],
      ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['HTTP/1.2', line(`GET ${ME} HTTP/1.2`)],
      ['HTTP/9.9', line(`GET ${ME} HTTP/9.9`)],
      ['an unknown method', line(`FOO ${ME} HTTP/1.1`), ME],
      ['a method in lower case', line(`get ${ME} HTTP/1.1`)],
      ['CONNECT', line('CONNECT service.test:443 HTTP/1.1')],
      ['a space in the target', line(`GET ${ME} x HTTP/1.1`)],
      ['a target without its slash', line('GET api/v1/auth/me HTTP/1.1'), 'api/v1/auth/me'],
      ['a NUL in the path', line(`GET ${ME}\0 HTTP/1.1`), `${ME}%00`],
      ['bytes in the path that are no ASCII', line('GET /api/v1/auth/\xe9\xff HTTP/1.1'), '/api/v1/auth/%E9%FF'],
      ['line feeds alone', `GET ${ME} HTTP/1.1\nHost: a\n\n`],
      ['a folded header', me('X-A: b', ' c'), ME],
      ['a space before the colon', me('X-A : b'), ME],
      ['a header without a colon', me('nonsense'), ME],
      ['a header name that is no token', me('X-\xe9: b'), ME],
      ['a NUL in a header', me('X-A: b\0c'), ME],
      ['a method of 20,000 letters', line(`${'A'.repeat(20_000)} / HTTP/1.1`), '/'],
    ])('%s', async (_what, bytes, instance) => {
      const [response, ...others] = await exchangeRaw(url, bytes);
      expect(response).toEqual(malformed(instance));
      expect(response!.headers.get('connection')).toBe('close');
      expect(others).toEqual([]);
    });

    it.each<[what: string, bytes: Buffer | string, instance?: string]>([
      ['a request that breaks off', `GET ${ME} HT`],
      ['a header that breaks off', `GET ${ME} HTTP/1.1\r\nHost: a\r\nX`],
      ['a body that breaks off', login(length('200'), '{}'), LOGIN],
      ['a chunk that breaks off', login(CHUNKED, '5\r\n{}'), LOGIN],
    ])('%s', async (_what, bytes, instance) => {
      const [response, ...others] = await exchangeRaw(url, bytes, { halfClose: true });
      expect(response).toEqual(malformed(instance));
      expect(others).toEqual([]);
    });

    it.each([
      ['a bad escape', '/api/v1/auth/%zz'],
      ['half an escape', `${ME}%4`],
      ['a bare percent sign', '/%'],
      ['escapes that are no UTF-8', '/%ff%fe'],
    ])('%s', async (_what, target) => {
      const [response, next] = await exchangeRaw(url, Buffer.concat([line(`GET ${target} HTTP/1.1`), me()]), {
        responses: 2,
      });
      expect(response).toEqual(malformed(target));
      expect(next!.status).toBe(401);
    });
  });

  // RFC 9112 section 3.2.
  describe('400: no valid Host header', () => {
    it.each([
      ['none', []],
      ['two', ['Host: service.test', 'Host: evil.test']],
      ['the same twice', ['Host: service.test', 'Host: service.test']],
      ['one with a path', ['Host: service.test/path']],
      ['one with a space', ['Host: service.test evil.test']],
      ['one with a user', ['Host: user@service.test']],
    ])('%s', async (_what, lines) => {
      const response = await sendRaw(url, [`GET ${ME} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      expect(response).toEqual(malformed(ME));
    });
  });

  // RFC 9112 sections 6 and 7: where two readers could see two requests, there is none.
  describe('400: not an HTTP message', () => {
    it.each<[what: string, bytes: Buffer, instance?: string]>([
      ['both lengths', login([...CHUNKED, 'Content-Length: 5'], '0\r\n\r\n'), LOGIN],
      [
        'a coding that is not chunked',
        login(['Content-Type: application/json', 'Transfer-Encoding: gzip'], '{}'),
        LOGIN,
      ],
      [
        'a coding after chunked',
        login(['Content-Type: application/json', 'Transfer-Encoding: chunked, identity'], '0\r\n\r\n'),
        LOGIN,
      ],
      ['chunked twice', login([...CHUNKED, 'Transfer-Encoding: chunked'], '0\r\n\r\n'), LOGIN],
      [
        'a hidden chunked',
        login(['Content-Type: application/json', 'Transfer-Encoding : chunked'], '0\r\n\r\n'),
        LOGIN,
      ],
      ['two lengths', login([...length('2'), 'Content-Length: 3'], '{}'), LOGIN],
      ['one length twice', login([...length('2'), 'Content-Length: 2'], '{}'), LOGIN],
      ['a list of lengths', login(length('2, 2'), '{}'), LOGIN],
      ['a negative length', login(length('-1'), '{}'), LOGIN],
      ['a signed length', login(length('+2'), '{}'), LOGIN],
      ['a length that is no number', login(length('abc'), '{}'), LOGIN],
      ['a length of 20 digits', login(length('99999999999999999999'), '{}'), LOGIN],
      ['an invalid chunk size', login(CHUNKED, 'zz\r\n{}\r\n0\r\n\r\n'), LOGIN],
      ['a chunk longer than its size', login(CHUNKED, '2\r\n{}more\r\n0\r\n\r\n'), LOGIN],
      ['a chunk size that overflows', login(CHUNKED, 'ffffffffffffffffff\r\n{}'), LOGIN],
    ])('%s', async (_what, bytes, instance) => {
      const smuggled = line('GET /health/live HTTP/1.1');
      const [response, ...others] = await exchangeRaw(url, Buffer.concat([bytes, smuggled]));
      expect(response).toEqual(malformed(instance));
      expect(response!.headers.get('connection')).toBe('close');
      expect(others).toEqual([]);
    });

    it('responds to complete requests before the invalid bytes', async () => {
      const [first, second, ...others] = await exchangeRaw(url, login(length('2'), '{}garbage'));
      expect(first).toEqual(problem(400, 'validation-error', LOGIN, 'Missing login credentials'));
      expect(second).toEqual(malformed());
      expect(others).toEqual([]);
    });

    it('ignores an unknown Expect header', async () => {
      const response = await sendRaw(url, login(['Content-Type: application/json', 'Expect: a miracle'], '{}'));
      expect(response).toEqual(problem(400, 'validation-error', LOGIN, 'Missing login credentials'));
    });
  });

  describe('413', () => {
    const large = ' '.repeat(1024 * 1024);
    it.each([
      ['a body of 1 MiB', LOGIN, ['Content-Type: application/json'], large],
      ['a body one byte too long', LOGIN, ['Content-Type: application/json'], ' '.repeat(65_537)],
      ['a body of 1 MiB to refresh', `${AUTH}/refresh`, ['Content-Type: application/json'], large],
      ['a body of 1 MiB to logout', `${AUTH}/logout`, ['Content-Type: application/json'], large],
      ['a body of 1 MiB in chunks', LOGIN, CHUNKED, `100000\r\n${large}\r\n0\r\n\r\n`],
      [
        'a body of 1 MiB that is announced first',
        LOGIN,
        ['Content-Type: application/json', 'Expect: 100-continue'],
        large,
      ],
    ])('%s, and the connection stays open', async (_what, path, lines, body) => {
      const bytes = Buffer.concat([rawRequest(`POST ${path} HTTP/1.1`, lines, body), me()]);
      const [response, next] = await exchangeRaw(url, bytes, { responses: 2 });
      expect(response).toEqual(problem(413, 'payload-too-large', path));
      expect(next!.status).toBe(401);
    });

    it('a Content-Length of 90 TiB, at once', async () => {
      expect(await sendRaw(url, login(length('99999999999999'), '{}'))).toEqual(
        problem(413, 'payload-too-large', LOGIN),
      );
    });

    it('an endless chunk extension', async () => {
      const { status, body } = await sendRaw(url, login(CHUNKED, `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`));
      expect([status, body.errorCode]).toEqual([413, 'payload-too-large']);
    });
  });

  describe('431', () => {
    it.each([
      ['an Authorization header of 20,000 bytes', me(`Authorization: Bearer ${'a'.repeat(20_000)}`), ME],
      ['a header of 1 MB', me(`X-A: ${'a'.repeat(1_000_000)}`), ME],
      ['3,000 headers', me(...Array.from({ length: 3_000 }, (_, index) => `X-${index}: a`)), ME],
      [
        'a cookie of 20,000 bytes',
        rawRequest(`POST ${AUTH}/refresh HTTP/1.1`, [`Cookie: MY_SHOP_REFRESH=${'a'.repeat(20_000)}`]),
        `${AUTH}/refresh`,
      ],
      ['a query of 20,000 bytes', line(`GET ${ME}?${'a'.repeat(20_000)} HTTP/1.1`), ME],
      ['a path of 20,000 bytes', line(`GET /${'a'.repeat(20_000)} HTTP/1.1`), `/${'a'.repeat(20_000)}`],
    ])('%s', async (_what, bytes, instance) => {
      const response = await sendRaw(url, bytes);
      expect(response).toEqual(problem(431, 'headers-too-large', instance));
      expect(response.headers.get('set-cookie')).toBeNull();
    });

    it('is not returned for 100 headers and 12,000 bytes', async () => {
      const response = await sendRaw(
        url,
        me(...Array.from({ length: 100 }, (_, index) => `X-${index}: ${'a'.repeat(112)}`)),
      );
      expect(response).toEqual(problem(401, 'unauthorized', ME));
    });
  });
});
/** The problem document of a request whose path may be beyond reading. */
function malformed(instance?: string): unknown {
  if (instance !== undefined) return problem(400, 'validation-error', instance);
  const body = {
    type: 'urn:service:error:validation-error',
    title: expect.any(String),
    status: 400,
    detail: expect.any(String),
    errorCode: 'validation-error',
    exceptionType: expect.stringMatching(/^(?:Gateway)?Error$/),
    exceptionMessage: expect.stringMatching(/^(?:Error \(HPE_\w+\)|CONNECT is not served)$/),
    stackTrace: expect.stringMatching(/^(?:Gateway)?Error\b/),
  };
  return expect.objectContaining({ status: 400, body });
}
