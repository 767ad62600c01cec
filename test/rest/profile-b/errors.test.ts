// Every error under /api/v1/auth in Profile B, by endpoint and status, on real sockets: always the four members.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { authError } from '../../support/auth-errors.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { exchangeRaw, rawRequest, sendRaw } from '../../support/raw-http.ts';
import { tokenClient, type TokenClient } from '../../support/token-client.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const AUTH = '/api/v1/auth';
const LOGIN = `${AUTH}/login`;
const REFRESH = `${AUTH}/refresh`;
const ME = `${AUTH}/me`;
const LOGOUT = `${AUTH}/logout`;

const JSON_TYPE = 'Content-Type: application/json';
const GOOD: Readonly<Record<string, string>> = {
  [LOGIN]: JSON.stringify({ username: 'nobody@acme.test', password: 'x' }),
  [REFRESH]: JSON.stringify({ refresh_token: 'x' }),
  [LOGOUT]: '{}',
};
const POSTS = [LOGIN, REFRESH, LOGOUT];
const ALLOWED: readonly (readonly [path: string, allow: string, methods: readonly string[]])[] = [
  [LOGIN, 'POST, OPTIONS', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE']],
  [REFRESH, 'POST, OPTIONS', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE']],
  [LOGOUT, 'POST, OPTIONS', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE']],
  [ME, 'GET, HEAD, OPTIONS', ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']],
];

const post = (path: string, lines: readonly string[], body: string | Buffer = '') =>
  rawRequest(`POST ${path} HTTP/1.1`, lines, body);

describe.each([
  { engine: 'sqlite', transport: 'local', mode: 'maximal' },
  { engine: 'sqlite', transport: 'grpc', mode: 'minimal' },
] as const)('$mode: $engine over $transport', ({ engine, transport, mode }) => {
  let deployment: Deployment;
  let url: string;
  let rest: TokenClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({
      engine,
      transport,
      settings: { 'app.security.auth-profile': 'B', 'app.api.error-disclosure.mode': mode },
    });
    url = deployment.url;
    rest = tokenClient(url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  const maximal = mode === 'maximal';

  describe('400 AUTH_VALIDATION_ERROR', () => {
    it.each(
      [
        { path: LOGIN, bodies: ['{}', '[]', 'null', '1', '"x"', '', '{"username":"a"}', '{"password":"b"}'] },
        { path: LOGIN, bodies: ['{"username":1,"password":"b"}', '{"username":"a","password":null}'] },
        { path: LOGIN, bodies: ['{"username":"","password":"b"}', '{"username":" ","password":"b"}'] },
        { path: LOGIN, bodies: ['{"username":"a","password":""}', `{"username":"${'a'.repeat(255)}","password":"b"}`] },
        {
          path: REFRESH,
          bodies: ['{}', '[]', 'null', '1', '"x"', '', '{"refresh_token":null}', '{"refreshToken":"x"}'],
        },
        { path: REFRESH, bodies: ['{"refresh_token":1}', '{"refresh_token":["x"]}', '{"refresh_token":""}'] },
      ].flatMap(({ path, bodies }) => bodies.map((body) => ({ path, body }))),
    )('$path: $body', async ({ path, body }) => {
      const message =
        path === LOGIN ? 'Missing login credentials' : maximal ? 'Missing refresh_token' : 'Request validation failed';
      const response = await sendRaw(url, post(path, body === '' ? [] : [JSON_TYPE], body));
      expect(response).toEqual(authError(400, 'AUTH_VALIDATION_ERROR', path, message));
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('pragma')).toBe('no-cache');
    });

    it.each(
      POSTS.flatMap((path) =>
        ['{', '{"a":1,"a":2}', '{"__proto__":1}', '\xff', '{} x'].map((body) => ({ path, body })),
      ),
    )('$path: malformed JSON: $body', async ({ path, body }) => {
      const message = maximal ? expect.stringMatching(/^Malformed JSON: /) : 'Malformed request';
      const response = await sendRaw(url, post(path, [JSON_TYPE], body));
      expect(response).toEqual(authError(400, 'AUTH_VALIDATION_ERROR', path, message));
      expect(response.headers.get('cache-control')).toBe('no-store');
    });

    it.each<[what: string, bytes: Buffer, path: string | undefined]>([
      ['a header without a colon', rawRequest(`GET ${ME} HTTP/1.1`, ['nonsense']), ME],
      ['two hosts', rawRequest(`GET ${ME} HTTP/1.1`, ['Host: a', 'Host: b', 'X-\xe9: b']), ME],
      ['no host', Buffer.from(`GET ${ME} HTTP/1.1\r\n\r\n`), ME],
      ['both lengths', post(LOGIN, [JSON_TYPE, 'Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), LOGIN],
      ['a bad escape', rawRequest(`GET ${AUTH}/%zz HTTP/1.1`), `${AUTH}/%zz`],
    ])('%s', async (_what, bytes, path) => {
      expect(await sendRaw(url, bytes)).toEqual(authError(400, 'AUTH_VALIDATION_ERROR', path));
    });
  });

  describe('401', () => {
    it('AUTH_USER_NOT_FOUND, under minimal AUTH_INVALID_CREDENTIALS: login', async () => {
      const response = await rest.login({ username: 'nobody@acme.test', password: PASSWORD });
      expect(response).toEqual(authError(401, maximal ? 'AUTH_USER_NOT_FOUND' : 'AUTH_INVALID_CREDENTIALS', LOGIN));
      expect(response.headers.get('www-authenticate')).toBeNull();
    });

    it('AUTH_INVALID_CREDENTIALS: login', async () => {
      const response = await rest.login({ username: account.username, password: 'x' });
      expect(response).toEqual(authError(401, 'AUTH_INVALID_CREDENTIALS', LOGIN));
      expect(response.headers.get('www-authenticate')).toBeNull();
    });

    it('AUTH_TOKEN_INVALID: refresh, without a challenge', async () => {
      const response = await rest.refresh('x');
      expect(response).toEqual(authError(401, 'AUTH_TOKEN_INVALID', REFRESH));
      expect(response.body.message.includes('malformed')).toBe(maximal);
      expect(response.headers.get('www-authenticate')).toBeNull();
    });

    it.each([
      ['GET', ME],
      ['HEAD', ME],
      ['POST', LOGOUT],
    ])('AUTH_TOKEN_MISSING and AUTH_TOKEN_INVALID, with a challenge: %s %s', async (method, path) => {
      const head = method === 'HEAD';
      for (const [lines, code] of [
        [[], 'AUTH_TOKEN_MISSING'],
        [['Authorization: Digest x'], 'AUTH_TOKEN_MISSING'],
        [['Authorization: Bearer x'], 'AUTH_TOKEN_INVALID'],
        [['Authorization: Bearer x', 'Authorization: Bearer x'], 'AUTH_TOKEN_INVALID'],
      ] as const) {
        const response = await sendRaw(url, rawRequest(`${method} ${path} HTTP/1.1`, lines), { head });
        if (!head) expect(response).toEqual(authError(401, code, path));
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        expect(response.headers.get('cache-control')).toBe('no-store');
      }
    });

    it('AUTH_TOKEN_INVALID: me of a deleted account', async () => {
      const own = await seedAccount(deployment.database);
      const { accessToken } = await rest.open(own.username);
      await deployment.database.execute('DELETE FROM accounts WHERE username = ?', [Buffer.from(own.username)]);
      expect(await rest.me(accessToken)).toEqual(authError(401, 'AUTH_TOKEN_INVALID', ME));
    });
  });

  describe('404 NOT_FOUND', () => {
    it.each([
      AUTH,
      `${AUTH}/`,
      `${AUTH}/nowhere`,
      `${ME}/`,
      `${AUTH}/ME`,
      `${AUTH}/token/x`,
      `${AUTH}/token/`,
      `${AUTH}/../auth/me`,
      `${AUTH}/%2e%2e/x`,
      `${LOGIN}.json`,
      `${AUTH}/${'a'.repeat(5_000)}`,
    ])('%s', async (path) => {
      for (const method of ['GET', 'POST', 'DELETE'])
        expect(await sendRaw(url, rawRequest(`${method} ${path}?a=b HTTP/1.1`))).toEqual(
          authError(404, 'NOT_FOUND', path),
        );
    });

    it.each(['/', '/api/v1', '/api/v1/authx', '/api/v1/auth%2fme', '/api/v1//auth/me', '/shop/api/v1/auth/me'])(
      'a problem document outside of authentication: %s',
      async (path) => {
        expect(await sendRaw(url, rawRequest(`GET ${path} HTTP/1.1`))).toEqual(problem(404, 'not-found', path));
      },
    );
  });

  describe('405 METHOD_NOT_ALLOWED', () => {
    it.each(ALLOWED.flatMap(([path, allow, methods]) => methods.map((method) => ({ method, path, allow }))))(
      '$method $path',
      async ({ method, path, allow }) => {
        const head = method === 'HEAD';
        const response = await sendRaw(url, rawRequest(`${method} ${path} HTTP/1.1`), { head });
        if (!head) expect(response).toEqual(authError(405, 'METHOD_NOT_ALLOWED', path));
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe(allow);
      },
    );
  });

  it.each(POSTS)('413 PAYLOAD_TOO_LARGE: %s, and the connection stays open', async (path) => {
    const large = post(path, [JSON_TYPE], ' '.repeat(1024 * 1024));
    const [response, next] = await exchangeRaw(url, Buffer.concat([large, rawRequest(`GET ${ME} HTTP/1.1`)]), {
      responses: 2,
    });
    expect(response).toEqual(authError(413, 'PAYLOAD_TOO_LARGE', path));
    expect(next).toEqual(authError(401, 'AUTH_TOKEN_MISSING', ME));
  });

  it.each(
    POSTS.flatMap((path) =>
      ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'x'].map((type) => ({
        path,
        type,
      })),
    ),
  )('415 UNSUPPORTED_MEDIA_TYPE: $path: $type', async ({ path, type }) => {
    const response = await sendRaw(url, post(path, [`Content-Type: ${type}`], GOOD[path]));
    expect(response).toEqual(authError(415, 'UNSUPPORTED_MEDIA_TYPE', path));
  });

  it.each([
    [ME, rawRequest(`GET ${ME} HTTP/1.1`, [`Authorization: Bearer ${'a'.repeat(20_000)}`])],
    [REFRESH, post(REFRESH, [JSON_TYPE, `X-A: ${'a'.repeat(20_000)}`], GOOD[REFRESH])],
  ])('431 HEADERS_TOO_LARGE: %s', async (path, bytes) => {
    expect(await sendRaw(url, bytes)).toEqual(authError(431, 'HEADERS_TOO_LARGE', path));
  });

  it('does not change the errors of the token endpoint', async () => {
    const response = await sendRaw(url, post(`${AUTH}/token`, [], ''));
    expect(response.body).toMatchObject({ error: expect.stringMatching(/^invalid_/) });
    expect(response.body).not.toHaveProperty('path');
  });

  it('adds diagnostics under maximal disclosure only, and never a secret', async () => {
    const { accessToken, refreshToken } = await rest.open(account.username);
    const responses = [
      await rest.login({ username: account.username, password: 'not-the-password' }),
      await rest.refresh(`${refreshToken}x`),
      await rest.me(`${accessToken}x`),
    ];
    for (const { body, text } of responses) {
      for (const member of ['exceptionType', 'exceptionMessage', 'stackTrace']) expect(member in body).toBe(maximal);
      expect(leaksOf(text, ['not-the-password', accessToken, refreshToken])).toEqual([]);
    }
  });
});
