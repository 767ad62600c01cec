// HTTP errors on real sockets: every response is a problem document.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { exchangeRaw, rawRequest, sendRaw } from '../../support/raw-http.ts';
import { restClient } from '../../support/rest-client.ts';

const AUTH = '/api/v1/auth';
const LOGIN = `${AUTH}/login`;
const ME = `${AUTH}/me`;

/** Every route, and what `Allow` says of it. */
const ROUTES: readonly (readonly [path: string, methods: readonly string[]])[] = [
  [LOGIN, ['POST']],
  [`${AUTH}/refresh`, ['POST']],
  [`${AUTH}/logout`, ['POST']],
  [ME, ['GET', 'HEAD']],
  ['/.well-known/jwks.json', ['GET', 'HEAD']],
  ['/openapi.json', ['GET', 'HEAD']],
  ['/health/live', ['GET', 'HEAD']],
  ['/health/ready', ['GET', 'HEAD']],
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'];
const WRONG_METHODS = ROUTES.flatMap(([path, allowed]) =>
  METHODS.filter((method) => !allowed.includes(method)).map((method) => ({
    method,
    path,
    allow: [...allowed, 'OPTIONS'].join(', '),
  })),
);

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

  describe('404', () => {
    it.each([
      ['the root', '/'],
      ['a prefix of a route', AUTH],
      ['another version', '/api/v2/auth/me'],
      ['a trailing slash', `${ME}/`],
      ['another case', '/api/v1/auth/ME'],
      ['a leading double slash', `/${ME}`],
      ['an inner double slash', '/api/v1//auth/me'],
      ['dot segments', '/api/v1/auth/../auth/me'],
      ['encoded dot segments', '/api/v1/auth/%2e%2e/auth/me'],
      ['doubly encoded dot segments', '/api/v1/auth/%252e%252e/auth/me'],
      ['an encoded slash', '/api/v1/auth%2fme'],
      ['an encoded NUL', `${ME}%00`],
      ['a path parameter', `${ME};jsessionid=1`],
      ['a suffix', `${ME}.json`],
      ['a leading path, which only business endpoints have', `/shop${ME}`],
      ['a path of 10,000 characters', `/${'a'.repeat(10_000)}`],
      ['the prototype of objects', '/__proto__'],
      ['a file of the machine', '/../../../../etc/passwd'],
    ])('%s', async (_what, target) => {
      const response = await sendRaw(url, line(`GET ${target}?password=1 HTTP/1.1`));
      expect(response).toEqual(problem(404, 'not-found', target));
      expect(leaksOf(response.text.replace(target, ''))).toEqual([]);
    });

    it('a path with an invalid character', async () => {
      expect(await sendRaw(url, line('GET /api/v1/auth\\me HTTP/1.1'))).toEqual(
        problem(404, 'not-found', '/api/v1/auth%5Cme'),
      );
    });

    it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])('%s, with any body', async (method) => {
      const response = await sendRaw(
        url,
        rawRequest(`${method} /nowhere HTTP/1.1`, ['Content-Type: application/json'], '{'),
      );
      expect(response).toEqual(problem(404, 'not-found', '/nowhere'));
      expect(response.headers.get('allow')).toBeNull();
    });

    it('HEAD, without a body', async () => {
      const response = await sendRaw(url, line('HEAD /nowhere HTTP/1.1'), { head: true });
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    });
  });

  describe('405', () => {
    it.each(WRONG_METHODS)('$method $path', async ({ method, path, allow }) => {
      const response = await sendRaw(url, line(`${method} ${path}?a=b HTTP/1.1`), { head: method === 'HEAD' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe(allow);
      if (method === 'HEAD') expect(response.headers.get('content-type')).toBe('application/problem+json');
      else expect(response).toEqual(problem(405, 'method-not-allowed', path));
    });

    it('is returned before the body and the credential are checked', async () => {
      const response = await sendRaw(
        url,
        rawRequest(`PUT ${LOGIN} HTTP/1.1`, ['Content-Type: image/png', 'Authorization: Bearer x'], '{'),
      );
      expect(response).toEqual(problem(405, 'method-not-allowed', LOGIN));
    });
  });

  it.each(ROUTES)('OPTIONS %s returns the allowed methods', async (path, methods) => {
    const response = await sendRaw(url, line(`OPTIONS ${path} HTTP/1.1`));
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe([...methods, 'OPTIONS'].join(', '));
  });

  it.each(ROUTES.filter(([, methods]) => methods.includes('HEAD')))(
    'HEAD %s returns the headers of GET without the body',
    async (path) => {
      const get = await sendRaw(url, line(`GET ${path} HTTP/1.1`));
      const [head, next] = await exchangeRaw(url, line(`HEAD ${path} HTTP/1.1`), { head: true, responses: 1 });
      const essence = ({ status, headers }: typeof get) => [
        status,
        headers.get('content-type'),
        headers.get('content-length'),
      ];
      expect(essence(head!)).toEqual(essence(get));
      expect(next).toBeUndefined();
    },
  );

  describe('unusual but valid requests', () => {
    it.each([
      ['an absolute-form target', line(`GET http://service.test${ME}?a=b HTTP/1.1`), ME],
      ['a fragment', line(`GET ${ME}#top HTTP/1.1`), ME],
      ['an encoded letter', line('GET /api/v1/auth/%6de HTTP/1.1'), '/api/v1/auth/%6de'],
      ['HTTP/1.0 without a Host', `GET ${ME} HTTP/1.0\r\n\r\n`, ME],
      [
        'an offer to upgrade',
        me('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c, websocket', 'HTTP2-Settings: AAMAAABk'),
        ME,
      ],
      ['a body where none belongs', rawRequest(`GET ${ME} HTTP/1.1`, ['Content-Type: application/json'], '{'), ME],
      ['an unusable X-Request-Id', me('X-Request-Id: \xff\t"<script>"'), ME],
      [
        'a forged client address',
        me('X-Forwarded-For: \xff, 1.2.3.4.5', 'X-Forwarded-Proto: gopher', 'Forwarded: for=x'),
        ME,
      ],
    ])('%s', async (_what, bytes, instance) => {
      const response = await sendRaw(url, bytes);
      expect(response).toEqual(problem(401, 'unauthorized', instance, 'Unauthorized - Missing or invalid token'));
      expect(response.headers.get('x-request-id')).toMatch(/^[\w.:-]{1,64}$/);
    });
  });
});
