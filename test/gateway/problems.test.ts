import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InjectOptions } from 'fastify';
import { gateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await gateway();
});

afterAll(async () => {
  await under.app.close();
});

const post = (url: string, contentType: string | undefined, payload: string | Buffer): InjectOptions => ({
  method: 'POST',
  url,
  payload,
  headers: contentType === undefined ? {} : { 'content-type': contentType },
});

const LOGIN = '/api/v1/auth/login';
const GOOD = '{"username":"u","password":"p"}';
const TOO_LARGE = JSON.stringify({ username: 'u', password: 'x'.repeat(65_536) });

describe('a request that the gateway itself refuses', () => {
  it.each<[what: string, request: InjectOptions, status: number, errorCode: string]>([
    ['an unknown path', { url: '/api/v1/auth/unknown' }, 404, 'not-found'],
    ['the root', { url: '/' }, 404, 'not-found'],
    ['a trailing slash', { url: '/api/v1/auth/me/' }, 404, 'not-found'],
    ['another case', { url: '/api/v1/Auth/me' }, 404, 'not-found'],
    ['a doubled slash', { url: '/api//v1/auth/me' }, 404, 'not-found'],
    ['an unknown path with a malformed body', post('/nowhere', 'application/json', '{'), 404, 'not-found'],
    ['an unknown path with an unknown body', post('/nowhere', 'image/png', 'x'), 404, 'not-found'],
    ['a very long path', { url: `/${'a'.repeat(5000)}` }, 404, 'not-found'],
    ['GET of login', { url: LOGIN }, 405, 'method-not-allowed'],
    [
      'PUT of login with a malformed body',
      { ...post(LOGIN, 'application/json', '{'), method: 'PUT' },
      405,
      'method-not-allowed',
    ],
    ['POST of me', { method: 'POST', url: '/api/v1/auth/me' }, 405, 'method-not-allowed'],
    ['DELETE of the keys', { method: 'DELETE', url: '/.well-known/jwks.json' }, 405, 'method-not-allowed'],
    ['a bad percent-encoding', { url: '/api/v1/auth/%zz' }, 400, 'validation-error'],
    ['a truncated percent-encoding', { url: '/%' }, 400, 'validation-error'],
    ['percent-encoded bytes that are not UTF-8', { url: '/%ff' }, 400, 'validation-error'],
    ['malformed JSON', post(LOGIN, 'application/json', '{"username":'), 400, 'validation-error'],
    [
      'a duplicate key',
      post(LOGIN, 'application/json', '{"username":"a","username":"b","password":"p"}'),
      400,
      'validation-error',
    ],
    [
      'a __proto__ key',
      post(LOGIN, 'application/json', '{"username":"a","password":"p","__proto__":{}}'),
      400,
      'validation-error',
    ],
    ['broken UTF-8', post(LOGIN, 'application/json', Buffer.from([0x7b, 0xff, 0x7d])), 400, 'validation-error'],
    ['malformed JSON on refresh', post('/api/v1/auth/refresh', 'application/json', '{'), 400, 'validation-error'],
    ['malformed JSON on logout', post('/api/v1/auth/logout', 'application/json', '{'), 400, 'validation-error'],
    ['a body too large', post(LOGIN, 'application/json', TOO_LARGE), 413, 'payload-too-large'],
    [
      'a body too large on logout',
      post('/api/v1/auth/logout', 'application/json', TOO_LARGE),
      413,
      'payload-too-large',
    ],
    ['plain text', post(LOGIN, 'text/plain', GOOD), 415, 'unsupported-media-type'],
    [
      'a form',
      post(LOGIN, 'application/x-www-form-urlencoded', 'username=u&password=p'),
      415,
      'unsupported-media-type',
    ],
    ['JSON of another kind', post(LOGIN, 'application/merge-patch+json', GOOD), 415, 'unsupported-media-type'],
    ['an invalid media type', post(LOGIN, 'json', GOOD), 415, 'unsupported-media-type'],
    ['another charset', post(LOGIN, 'application/json; charset=iso-8859-1', GOOD), 415, 'unsupported-media-type'],
    [
      'a compressed body',
      { ...post(LOGIN, undefined, GOOD), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      415,
      'unsupported-media-type',
    ],
    [
      'a typed body on refresh that is not JSON',
      post('/api/v1/auth/refresh', 'text/plain', 'x'),
      415,
      'unsupported-media-type',
    ],
  ])('%s', async (_what, request, status, errorCode) => {
    const response = await under.app.inject(request);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.json()).toMatchObject({
      type: `urn:service:error:${errorCode}`,
      status,
      errorCode,
      instance: request.url,
    });
    expect(under.core.calls).toEqual([]);
  });

  it('returns the allowed methods of a path in a 405', async () => {
    expect((await under.app.inject({ url: LOGIN })).headers['allow']).toBe('POST, OPTIONS');
    expect((await under.app.inject({ method: 'POST', url: '/health/live' })).headers['allow']).toBe(
      'GET, HEAD, OPTIONS',
    );
  });

  it('returns the allowed methods to OPTIONS', async () => {
    const response = await under.app.inject({ method: 'OPTIONS', url: LOGIN });
    expect(response.statusCode).toBe(204);
    expect(response.headers['allow']).toBe('POST, OPTIONS');
    expect((await under.app.inject({ method: 'OPTIONS', url: '/nowhere' })).statusCode).toBe(404);
  });

  it.each<[mode: 'maximal' | 'minimal', diagnostics: object]>([
    [
      'maximal',
      {
        exceptionType: 'RangeError',
        exceptionMessage: 'RangeError',
        stackTrace: expect.stringMatching(/^RangeError\n +at /),
      },
    ],
    ['minimal', {}],
  ])('returns no message of an unexpected error under %s disclosure', async (mode, diagnostics) => {
    const broken = await gateway({ 'app.api.error-disclosure.mode': mode });
    broken.core.respond('authservice.session.v1.SessionService/Refresh', new RangeError('secret of /home/x'));
    const response = await broken.app.inject({ method: 'POST', url: '/api/v1/auth/refresh?a=b' });
    expect(response.json()).toEqual({
      type: 'urn:service:error:internal-error',
      title: 'Internal error',
      status: 500,
      detail: 'Unexpected error',
      errorCode: 'internal-error',
      instance: '/api/v1/auth/refresh',
      ...diagnostics,
    });
    expect(response.body).not.toMatch(/secret|home/);
    expect(broken.lines.join('')).toContain('secret of /home/x');
  });

  it.each([['a text'], [7], [null], [{ name: 'object', message: 'secret' }], [Object.create(null)]])(
    'reports the thrown value %j as not an Error',
    async (thrown) => {
      const broken = await gateway();
      broken.core.respond('authservice.session.v1.SessionService/Refresh', () => Promise.reject(thrown));
      const response = await broken.app.inject({ method: 'POST', url: '/api/v1/auth/refresh' });
      expect(response.json()).toMatchObject({
        status: 500,
        errorCode: 'internal-error',
        exceptionType: 'GatewayError',
        exceptionMessage: 'The thrown value is not an Error',
      });
      expect(response.body).not.toContain('secret');
    },
  );
});

describe('accepted media types', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('%s', async (contentType) => {
    const own = await gateway();
    expect((await own.app.inject(post(LOGIN, contentType, GOOD))).statusCode).toBe(200);
  });
});

describe('HEAD', () => {
  it.each(['/api/v1/auth/me', '/health/live', '/.well-known/jwks.json'])(
    'returns the headers of GET without the body: %s',
    async (url) => {
      const own = await gateway();
      const get = await own.app.inject({ url });
      const head = await own.app.inject({ method: 'HEAD', url });
      expect(head.statusCode).toBe(200);
      expect(head.body).toBe('');
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    },
  );
});
