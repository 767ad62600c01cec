// Profile B from login to logout.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { authError } from '../../support/auth-errors.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { tokenClient, tokensOf, type TokenClient } from '../../support/token-client.ts';

rememberPasswords();

const DAY_MS = 24 * 3600_000;
const LOGIN = '/api/v1/auth/login';
const REFRESH = '/api/v1/auth/refresh';
const ME = '/api/v1/auth/me';
const LOGOUT = '/api/v1/auth/logout';

/** What holds for every response: nobody keeps it, and no cookie is set. */
function expectUnkept({ headers, cookies }: RestResponse): void {
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('pragma')).toBe('no-cache');
  expect(cookies).toEqual([]);
}

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: TokenClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({
      ...kind,
      // None of these is this profile's: what it issues lives as long as the interface says.
      settings: {
        'app.security.auth-profile': 'B',
        'app.security.access-token-ttl': '60s',
        'app.security.refresh-session.idle-window': '1h',
        'app.security.refresh-session.browser-idle-window': '1h',
        'app.security.refresh-session.absolute-lifetime': '2h',
      },
    });
    rest = tokenClient(deployment.url);
    account = await seedAccount(deployment.database, {
      email: 'alice@acme.test',
      name: 'Alice',
      roles: ['MANAGER', 'FLORIST'],
    });
  });
  afterAll(() => deployment?.close());

  describe('login', () => {
    it('returns 200 with both tokens and the user, and no other members', async () => {
      const response = await rest.login({ username: account.username, password: PASSWORD });
      expect(response.status).toBe(200);
      expect(response.body).toStrictEqual({
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 900,
        user: {
          id: account.id,
          email: 'alice@acme.test',
          name: 'Alice',
          role: 'ROLE_MANAGER',
          roles: ['ROLE_MANAGER', 'ROLE_SALES', 'ROLE_ACCOUNTANT', 'ROLE_FLORIST'],
          tenantId: 'acme',
        },
      });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expectUnkept(response);
    });

    it.each([
      [['ADMIN'], ['ADMIN', 'OWNER', 'MANAGER', 'SALES', 'ACCOUNTANT', 'PURCHASER', 'FLORIST', 'DELIVERY']],
      [['OWNER'], ['OWNER', 'MANAGER', 'SALES', 'ACCOUNTANT', 'PURCHASER', 'FLORIST', 'DELIVERY']],
      [['MANAGER'], ['MANAGER', 'SALES', 'ACCOUNTANT']],
      [['SALES'], ['SALES']],
      [['FLORIST'], ['FLORIST']],
      [
        ['FLORIST', 'MANAGER'],
        ['FLORIST', 'MANAGER', 'SALES', 'ACCOUNTANT'],
      ],
      [['TENANT_USER'], ['TENANT_USER']],
    ] as const)('returns the inherited roles of %j', async (roles, flattened) => {
      const prefixed = flattened.map((role) => `ROLE_${role}`);
      const { username } = await seedAccount(deployment.database, { roles });
      const { accessToken, response } = await rest.open(username);
      expect(response.body.user).toMatchObject({ role: prefixed[0], roles: prefixed });
      expect(decodeJwt(accessToken)['roles']).toEqual(prefixed);
      expect((await rest.me(accessToken)).body).toMatchObject({ role: prefixed[0], roles: prefixed });
    });

    it('writes exactly the documented claims to the access token', async () => {
      const { accessToken } = await rest.open(account.username);
      const now = Math.floor(deployment.clock.now() / 1000);
      expect(decodeProtectedHeader(accessToken)).toStrictEqual({
        alg: 'ES256',
        typ: 'at+jwt',
        kid: expect.any(String),
      });
      expect(decodeJwt(accessToken)).toStrictEqual({
        sub: account.id,
        client_id: 'my-shop',
        email: 'alice@acme.test',
        tenantId: 'acme',
        roles: ['ROLE_MANAGER', 'ROLE_SALES', 'ROLE_ACCOUNTANT', 'ROLE_FLORIST'],
        iat: now,
        exp: now + 900,
        sid: expect.any(String),
        iss: 'my-shop',
        aud: 'my-shop',
        jti: expect.any(String),
        auth_time: now,
        amr: ['pwd'],
      });
    });

    it('issues the refresh token as a JWT with its own typ and an expiry after 7 days', async () => {
      const { accessToken, refreshToken } = await rest.open(account.username);
      expect(decodeProtectedHeader(refreshToken)).toStrictEqual({ alg: 'HS256', typ: 'rt+jwt' });
      const claims = decodeJwt(refreshToken);
      expect(claims.exp).toBe(Math.floor(deployment.clock.now() / 1000) + 7 * 24 * 3600);
      expect(claims['sid']).toBe(decodeJwt(accessToken)['sid']);
      expect(Object.keys(claims).toSorted()).toEqual(['aud', 'exp', 'gen', 'iss', 'jti', 'sel', 'sid']);
    });

    it('returns the username as a missing e-mail address, and no tenant for a SUPER_ADMIN', async () => {
      const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
      const { accessToken, response } = await rest.open(root.username);
      const email = root.username;
      const user = { id: root.id, email, name: root.name, role: 'ROLE_SUPER_ADMIN', roles: ['ROLE_SUPER_ADMIN'] };
      expect(response.body.user).toStrictEqual(user);
      expect((await rest.me(accessToken)).body).toStrictEqual({
        ...user,
        createdAt: new Date(root.createdAt).toISOString(),
      });
      const claims = decodeJwt(accessToken);
      expect(claims).not.toHaveProperty('tenantId');
      expect(claims['email']).toBe(email);
    });

    it('accepts the username in any letter case and with blanks, but not the password', async () => {
      const username = ` ${account.username.toUpperCase()}\t`;
      expect((await rest.login({ username, password: PASSWORD })).status).toBe(200);
      for (const password of [PASSWORD.toUpperCase(), ` ${PASSWORD}`, `${PASSWORD} `]) {
        expect(await rest.login({ username, password })).toEqual(authError(401, 'AUTH_INVALID_CREDENTIALS', LOGIN));
      }
      expect((await rest.login({ username, password: PASSWORD })).status).toBe(200);
    });

    it('ignores unknown members, rememberMe and credentials in headers', async () => {
      const body = { username: account.username, password: PASSWORD, rememberMe: 'yes', tenantId: 'globex', x: [{}] };
      const headers = { authorization: 'Bearer x', cookie: 'MY_SHOP_REFRESH=x', origin: 'https://evil.test' };
      const response = await rest.login(body, headers);
      expect(response.status).toBe(200);
      expect(response.body.user.tenantId).toBe('acme');
      expectUnkept(response);
    });
  });

  describe('me', () => {
    it('returns 200 with the user and its creation time', async () => {
      const { accessToken, response } = await rest.open(account.username);
      const me = await rest.me(accessToken);
      expect(me.status).toBe(200);
      expect(me.body).toStrictEqual({
        ...response.body.user,
        createdAt: new Date(account.createdAt).toISOString(),
      });
      expectUnkept(me);
    });

    it('returns 401 after the access token has expired, after 900 seconds', async () => {
      const { accessToken } = await rest.open(account.username);
      deployment.clock.advance(899_000);
      expect((await rest.me(accessToken)).status).toBe(200);
      deployment.clock.advance(1_000);
      const refused = await rest.me(accessToken);
      expect(refused).toEqual(authError(401, 'AUTH_TOKEN_INVALID', ME));
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    });
  });

  describe('refresh', () => {
    it('returns 200 with a new access token of the same session and the next refresh token', async () => {
      const first = await rest.open(account.username);
      const response = await rest.refresh(first.refreshToken);
      expect(response.status).toBe(200);
      expect(response.body).toStrictEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 900,
        refresh_token: expect.any(String),
      });
      expectUnkept(response);
      const next = tokensOf(response);
      expect(next.refreshToken).not.toBe(first.refreshToken);
      expect(decodeJwt(next.accessToken)).toMatchObject({ sub: account.id, sid: decodeJwt(first.accessToken)['sid'] });
      expect(decodeJwt(next.accessToken).jti).not.toBe(decodeJwt(first.accessToken).jti);
      for (const { accessToken } of [first, next]) expect((await rest.me(accessToken)).status).toBe(200);
    });

    it('never extends a session: every refresh token ends 7 days after the login', async () => {
      let tokens = await rest.open(account.username);
      const { exp } = decodeJwt(tokens.refreshToken);
      for (let day = 0; day < 6; day += 1) {
        deployment.clock.advance(DAY_MS);
        tokens = tokensOf(await rest.refresh(tokens.refreshToken));
        expect(decodeJwt(tokens.refreshToken).exp).toBe(exp);
      }
      deployment.clock.advance(DAY_MS - 1_000);
      tokens = tokensOf(await rest.refresh(tokens.refreshToken));
      expect(decodeJwt(tokens.refreshToken).exp).toBe(exp);
      deployment.clock.advance(1_000);
      expect(await rest.refresh(tokens.refreshToken)).toEqual(
        authError(401, 'AUTH_TOKEN_INVALID', REFRESH, expect.stringContaining('(expired)')),
      );
    });

    it('returns the current account', async () => {
      const own = await seedAccount(deployment.database, { roles: ['SALES'], email: 'old@acme.test' });
      const { refreshToken } = await rest.open(own.username);
      await deployment.database.execute("UPDATE accounts SET roles = 'FLORIST', email = NULL WHERE username = ?", [
        Buffer.from(own.username),
      ]);
      const claims = decodeJwt(tokensOf(await rest.refresh(refreshToken)).accessToken);
      expect(claims['roles']).toEqual(['ROLE_FLORIST']);
      expect(claims['email']).toBe(own.username);
    });
  });

  describe('logout', () => {
    it('returns 200 with a message, and ends every token of the session at once', async () => {
      const first = await rest.open(account.username);
      const next = tokensOf(await rest.refresh(first.refreshToken));
      const response = await rest.logout(first.accessToken);
      expect(response.status).toBe(200);
      expect(response.body).toStrictEqual({ message: 'Logged out successfully' });
      expectUnkept(response);
      for (const { accessToken } of [first, next]) {
        expect(await rest.me(accessToken)).toEqual(authError(401, 'AUTH_TOKEN_INVALID', ME));
        expect(await rest.logout(accessToken)).toEqual(authError(401, 'AUTH_TOKEN_INVALID', LOGOUT));
      }
      for (const { refreshToken } of [first, next])
        expect(await rest.refresh(refreshToken)).toEqual(authError(401, 'AUTH_TOKEN_INVALID', REFRESH));
    });

    it("keeps the user's other sessions", async () => {
      const [one, two] = [await rest.open(account.username), await rest.open(account.username)];
      expect((await rest.logout(one.accessToken)).status).toBe(200);
      expect((await rest.me(two.accessToken)).status).toBe(200);
      expect((await rest.refresh(two.refreshToken)).status).toBe(200);
    });

    it.each([
      ['nothing', {}],
      ['an empty JSON body', { headers: { 'content-type': 'application/json' } }],
      ['an empty body of any type', { headers: { 'content-type': 'image/png' } }],
      ['an ignored body', { headers: { 'content-type': 'application/json' }, body: '{"refresh_token":1}' }],
    ])('returns 200 without a required body: %s', async (_what, init: RequestInit) => {
      const { accessToken } = await rest.open(account.username);
      const headers = { ...(init.headers as Record<string, string>), authorization: `bearer ${accessToken}` };
      expect((await rest.send('POST', LOGOUT, { ...init, headers })).status).toBe(200);
      expect((await rest.me(accessToken)).status).toBe(401);
    });
  });
});

describe('app.security.refresh-token.return-rotated=false', () => {
  it('returns the three documented members from a refresh, and uses up the token', async () => {
    const deployment = await deploy({
      engine: 'sqlite',
      transport: 'grpc',
      settings: { 'app.security.auth-profile': 'B', 'app.security.refresh-token.return-rotated': 'false' },
    });
    try {
      const rest = tokenClient(deployment.url);
      const { username } = await seedAccount(deployment.database);
      const { refreshToken } = await rest.open(username);
      const response = await rest.refresh(refreshToken);
      expect(response.body).toStrictEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 900 });
      expect((await rest.me(response.body.access_token)).status).toBe(200);
      expect(await rest.refresh(refreshToken)).toEqual(authError(401, 'AUTH_TOKEN_INVALID', REFRESH));
      expect((await rest.me(response.body.access_token)).status).toBe(401);
    } finally {
      await deployment.close();
    }
  });
});
