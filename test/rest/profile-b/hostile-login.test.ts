// Invalid logins in Profile B: the exact error, no counted failure, no secret, and the service continues.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { authError } from '../../support/auth-errors.ts';
import { malformedOf, NO_OBJECTS, NO_STRINGS } from '../../support/bad-bodies.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { tokenClient, type TokenClient } from '../../support/token-client.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const LOGIN = '/api/v1/auth/login';

/** What every refusal has in common: it sets nothing, is kept by nobody and tells no secret. */
function expectQuiet({ headers, text }: Pick<RestResponse, 'headers' | 'text'>, ...secrets: string[]): void {
  expect(headers.getSetCookie()).toEqual([]);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(leaksOf(text, secrets)).toEqual([]);
}

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: TokenClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { 'app.security.auth-profile': 'B' } });
    rest = tokenClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  const post = (path: string, body: string | Buffer) =>
    rest.send('POST', path, { body: Buffer.from(body), headers: { 'content-type': 'application/json' } });

  describe('login', () => {
    // Whatever came before: the service answers, and nothing has counted against the account.
    afterAll(async () => {
      expect((await rest.login({ username: account.username, password: PASSWORD })).status).toBe(200);
    });

    it.each([
      ...NO_STRINGS.flatMap((value) => [
        { username: value, password: PASSWORD },
        { username: 'a', password: value },
      ]),
      { username: '\u00a0\u2003', password: PASSWORD },
      { username: 'a'.repeat(255), password: PASSWORD },
      { username: '\u0130'.repeat(254), password: PASSWORD },
      { username: 'a', password: 'p'.repeat(1025) },
      { username: 'a', password: '\u{1f511}'.repeat(1025) },
      { Username: 'a', Password: 'b' },
      { user: { username: 'a', password: 'b' } },
    ])('returns 400 for %j', async (body) => {
      const response = await rest.login(body);
      expect(response).toEqual(authError(400, 'AUTH_VALIDATION_ERROR', LOGIN, 'Missing login credentials'));
      expectQuiet(response);
    });

    it.each(NO_OBJECTS)('returns 400 for the body %s', async (body) => {
      expect(await post(LOGIN, body)).toEqual(
        authError(400, 'AUTH_VALIDATION_ERROR', LOGIN, 'Missing login credentials'),
      );
    });

    it.each(malformedOf((more) => `{"username":"a","password":"b"${more}}`))(
      'returns 400 for %s',
      async (_what, body) => {
        const response = await post(LOGIN, body);
        expect(response).toEqual(
          authError(400, 'AUTH_VALIDATION_ERROR', LOGIN, expect.stringMatching(/^Malformed JSON: /)),
        );
        expectQuiet(response);
      },
    );

    it.each([
      ['a NUL after it', (name: string) => `${name}\0`],
      ['an accent', (name: string) => name.replace('user', 'us\u00e9r')],
      ['a zero-width space', (name: string) => `${name}\u200b`],
      ['a wildcard', () => 'user-%'],
      ['SQL', (name: string) => `${name}' OR '1'='1`],
      ['254 surrogate pairs', () => '\u{1f33a}'.repeat(254)],
    ])('returns 401 for a username with %s', async (_what, change) => {
      const response = await rest.login({ username: change(account.username), password: PASSWORD });
      expect(response).toEqual(authError(401, 'AUTH_USER_NOT_FOUND', LOGIN));
      expectQuiet(response);
    });

    it('returns 200 and ignores unrelated headers', async () => {
      const body = JSON.stringify({ username: account.username, password: PASSWORD });
      const lines = [
        'Content-Type: application/json',
        'Authorization: Bearer \xff\xe9',
        'Authorization: Basic x',
        'X-Api-Key: \xff',
        'Cookie: MY_SHOP_REFRESH=\xff; MY_SHOP_REFRESH=x; =; ;;',
        'X-Refresh-Token: \xff',
        'Origin: https://evil.test',
        'X-Forwarded-For: \xff',
      ];
      const response = await sendRaw(deployment.url, rawRequest(`POST ${LOGIN} HTTP/1.1`, lines, body));
      expect(response.status).toBe(200);
      expect(response.headers.getSetCookie()).toEqual([]);
    });
  });
});
