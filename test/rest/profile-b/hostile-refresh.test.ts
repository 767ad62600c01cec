// Invalid refresh tokens in Profile B: the exact error, no ended session, no secret, and the service continues.
import { createHmac, randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { loadSecretKey } from '../../../src/auth/keys/secret-key.ts';
import { createKeyEncryption } from '../../../src/auth/keys/key-encryption.ts';
import { seedAccount } from '../../support/accounts.ts';
import { authError } from '../../support/auth-errors.ts';
import { malformedOf, NO_OBJECTS, NO_STRINGS } from '../../support/bad-bodies.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../../support/key-encryption-key.ts';
import { leaksOf } from '../../support/leaks.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { seedTokens, type SeededTokens } from '../../support/sessions.ts';
import { tokenClient, tokensOf, type TokenClient } from '../../support/token-client.ts';

const REFRESH = '/api/v1/auth/refresh';
const ME = '/api/v1/auth/me';
const LOGOUT = '/api/v1/auth/logout';
const INVALID_TOKEN = authError(401, 'AUTH_TOKEN_INVALID', REFRESH);

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

  describe('refresh', () => {
    let session: SeededTokens;
    beforeAll(async () => {
      session = await seedTokens(deployment, account);
    });
    // None of it was a use of the session, let alone its end.
    afterAll(async () => {
      expect((await rest.me(session.accessToken)).status).toBe(200);
      expect((await rest.refresh(session.refreshToken)).status).toBe(200);
    });

    it.each(NO_STRINGS)('returns 400 for refresh_token %j', async (value) => {
      const response = await rest.refresh(value);
      expect(response).toEqual(authError(400, 'AUTH_VALIDATION_ERROR', REFRESH, 'Missing refresh_token'));
      expectQuiet(response);
    });

    it.each(NO_OBJECTS)('returns 400 for the body %s', async (body) => {
      expect(await post(REFRESH, body)).toEqual(
        authError(400, 'AUTH_VALIDATION_ERROR', REFRESH, 'Missing refresh_token'),
      );
    });

    it.each(malformedOf((more) => `{"refresh_token":"x"${more}}`))('returns 400 for %s', async (_what, body) => {
      const response = await post(REFRESH, body);
      expect(response).toEqual(
        authError(400, 'AUTH_VALIDATION_ERROR', REFRESH, expect.stringMatching(/^Malformed JSON: /)),
      );
      expectQuiet(response);
    });

    it('returns 400 for a token outside the body', async () => {
      const { refreshToken } = session;
      const headers = {
        authorization: `Bearer ${refreshToken}`,
        'x-refresh-token': refreshToken,
        cookie: `MY_SHOP_REFRESH=${refreshToken}; refresh_token=${refreshToken}`,
      };
      const response = await rest.send('POST', `${REFRESH}?refresh_token=${refreshToken}`, { headers });
      expect(response).toEqual(authError(400, 'AUTH_VALIDATION_ERROR', REFRESH, 'Missing refresh_token'));
      expectQuiet(response, refreshToken);
    });

    const parts = (token: string) => token.split('.') as [string, string, string];
    const flipped = (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    /** The signature kept, a claim changed. */
    const tampered = (token: string, claims: object) => {
      const [header, , signature] = parts(token);
      return `${header}.${encode({ ...decodeJwt(token), ...claims })}.${signature}`;
    };
    /** The other spelling of the last character that decodes to the same bytes. */
    const respelled = (token: string) => `${token.slice(0, -1)}${BASE64URL[BASE64URL.indexOf(token.at(-1)!) ^ 1]!}`;

    it.each<[what: string, change: (session: SeededTokens) => string | Promise<string>]>([
      ['garbage', () => 'garbage'],
      ['a blank', () => ' '],
      ['dots', () => '..'],
      ['60,000 characters', () => 'a'.repeat(60_000)],
      ['60,000 characters in the form of a JWT', () => `${'a'.repeat(30_000)}.${'a'.repeat(30_000)}.a`],
      ['a NUL', ({ refreshToken }) => `${refreshToken}\0`],
      ['the access token', ({ accessToken }) => accessToken],
      ['a blank before it', ({ refreshToken }) => ` ${refreshToken}`],
      ['a blank after it', ({ refreshToken }) => `${refreshToken} `],
      ['a line feed after it', ({ refreshToken }) => `${refreshToken}\n`],
      ['padding', ({ refreshToken }) => `${refreshToken}=`],
      ['one character more', ({ refreshToken }) => `${refreshToken}A`],
      ['one character less', ({ refreshToken }) => refreshToken.slice(0, -1)],
      ['one part more', ({ refreshToken }) => `${refreshToken}.A`],
      ['no signature', ({ refreshToken }) => `${parts(refreshToken).slice(0, 2).join('.')}.`],
      ['another case', ({ refreshToken }) => refreshToken.toLowerCase()],
      ['a scheme before it', ({ refreshToken }) => `Bearer ${refreshToken}`],
      ['it twice', ({ refreshToken }) => `${refreshToken},${refreshToken}`],
      ['another spelling of the signature', ({ refreshToken }) => respelled(refreshToken)],
      [
        'another signature',
        ({ refreshToken }) => {
          const [header, payload, signature] = parts(refreshToken);
          return `${header}.${payload}.${flipped(signature)}`;
        },
      ],
      ['another generation', ({ refreshToken }) => tampered(refreshToken, { gen: 2 })],
      ['a later end', ({ refreshToken }) => tampered(refreshToken, { exp: 9_999_999_999 })],
      ['another session', ({ refreshToken }) => tampered(refreshToken, { sid: crypto.randomUUID() })],
      [
        'another verifier',
        ({ refreshToken }) => tampered(refreshToken, { jti: randomBytes(32).toString('base64url') }),
      ],
      ['the algorithm none', ({ refreshToken }) => new UnsecuredJWT(decodeJwt(refreshToken)).encode()],
      [
        'the algorithm none, with the signature',
        ({ refreshToken }) => {
          const [, payload, signature] = parts(refreshToken);
          return `${encode({ alg: 'none', typ: 'rt+jwt' })}.${payload}.${signature}`;
        },
      ],
      ['another key', ({ refreshToken }) => resigned(refreshToken, randomBytes(32))],
      [
        'an empty key',
        ({ refreshToken }) => {
          const [header, payload] = parts(refreshToken);
          const signature = createHmac('sha256', '').update(`${header}.${payload}`).digest('base64url');
          return `${header}.${payload}.${signature}`;
        },
      ],
      [
        'the public key as the secret',
        async ({ refreshToken }) => {
          const { keys } = (await rest.send('GET', '/.well-known/jwks.json')).body;
          return resigned(refreshToken, Buffer.from(JSON.stringify(keys[0])));
        },
      ],
      [
        'the key of the cookie form',
        async ({ refreshToken }) => resigned(refreshToken, await keyOf('refresh-credential-tag')),
      ],
      [
        'the type of access tokens',
        async ({ refreshToken }) => resigned(refreshToken, await keyOf('refresh-token'), { typ: 'at+jwt' }),
      ],
      ['no type', async ({ refreshToken }) => resigned(refreshToken, await keyOf('refresh-token'), { typ: undefined })],
      ['HS512', async ({ refreshToken }) => resigned(refreshToken, await keyOf('refresh-token'), { alg: 'HS512' })],
      [
        'another issuer',
        async ({ refreshToken }) => resigned(refreshToken, await keyOf('refresh-token'), {}, { iss: 'other' }),
      ],
      [
        'another audience',
        async ({ refreshToken }) => resigned(refreshToken, await keyOf('refresh-token'), {}, { aud: 'other' }),
      ],
      [
        'an unknown critical header',
        async ({ refreshToken }) => {
          const [, payload] = parts(refreshToken);
          const header = encode({ alg: 'HS256', typ: 'rt+jwt', crit: ['x'], x: 1 });
          const signature = createHmac('sha256', await keyOf('refresh-token'))
            .update(`${header}.${payload}`)
            .digest('base64url');
          return `${header}.${payload}.${signature}`;
        },
      ],
    ])('returns 401 for %s', async (_what, change) => {
      const value = await change(session);
      expect(value).not.toBe(session.refreshToken);
      const response = await rest.refresh(value);
      expect(response).toEqual(INVALID_TOKEN);
      expect(response.headers.get('www-authenticate')).toBeNull();
      expectQuiet(response, session.refreshToken, ...parts(session.refreshToken));
    });

    it('returns 401 for a validly signed token of an unissued generation, and revokes nothing', async () => {
      const { refreshToken } = session;
      const ahead = await resigned(refreshToken, await keyOf('refresh-token'), {}, { gen: 2, jti: 'x' });
      const other = await resigned(refreshToken, await keyOf('refresh-token'), {}, { jti: 'x' });
      for (const token of [ahead, other]) {
        expect(await rest.refresh(token)).toEqual(
          authError(401, 'AUTH_TOKEN_INVALID', REFRESH, expect.stringContaining('(unknown)')),
        );
      }
    });

    it('returns 200 and ignores unrelated headers', async () => {
      const own = await seedTokens(deployment, account);
      const lines = [
        'Content-Type: application/json',
        'Origin: https://evil.test',
        'Cookie: MY_SHOP_REFRESH=x',
        'X-Refresh-Token: x',
        `Authorization: Bearer ${session.accessToken}x`,
        'X-Api-Key: \xff',
      ];
      const body = JSON.stringify({ refresh_token: own.refreshToken, extra: {} });
      const response = await sendRaw(deployment.url, rawRequest(`POST ${REFRESH} HTTP/1.1`, lines, body));
      expect(response.status).toBe(200);
      expect(response.headers.getSetCookie()).toEqual([]);
    });

    async function keyOf(name: string): Promise<Buffer> {
      const { database, clock } = deployment;
      const encryption = createKeyEncryption(TEST_KEY_ENCRYPTION_KEY);
      return loadSecretKey({ database, encryption, name, clock: clock.now });
    }

    function resigned(token: string, key: Uint8Array, header: object = {}, claims: object = {}): Promise<string> {
      const changed = { ...decodeProtectedHeader(token), ...header } as { alg: string };
      // jose refuses short keys; theirs would not be ours anyway.
      const long = key.length < 64 && changed.alg === 'HS512' ? Buffer.concat([key, key]) : key;
      return new SignJWT({ ...decodeJwt(token), ...claims }).setProtectedHeader(changed).sign(long);
    }
  });

  describe('refresh tokens as bearer tokens', () => {
    it('get 401, and the session continues', async () => {
      const { refreshToken, accessToken } = await seedTokens(deployment, account);
      for (const [method, path] of [
        ['GET', ME],
        ['POST', LOGOUT],
      ] as const) {
        const response = await rest.send(method, path, { headers: { authorization: `Bearer ${refreshToken}` } });
        expect(response).toEqual(authError(401, 'AUTH_TOKEN_INVALID', path));
        expectQuiet(response, refreshToken);
      }
      const { refreshToken: next } = tokensOf(await rest.refresh(refreshToken));
      expect((await rest.me(accessToken)).status).toBe(200);
      expect((await rest.refresh(next)).status).toBe(200);
    });
  });
});

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
