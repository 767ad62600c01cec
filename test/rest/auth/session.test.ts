// Profile A from login to logout.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient, sessionOf, type RestClient } from '../../support/rest-client.ts';

rememberPasswords();

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database, {
      email: 'alice@acme.test',
      name: 'Alice',
      roles: ['MANAGER', 'FLORIST'],
    });
  });
  afterAll(() => deployment?.close());

  describe('login', () => {
    it('returns a token, the user and a browser-session cookie', async () => {
      const response = await rest.login({ username: account.username, password: PASSWORD });
      expect(response.status).toBe(200);
      expect(response.body).toEqual({
        accessToken: expect.any(String),
        user: { id: account.id, username: account.username },
      });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('pragma')).toBe('no-cache');
      expect(response.cookies).toEqual([
        {
          name: 'MY_SHOP_REFRESH',
          value: expect.any(String),
          attributes: { httponly: true, secure: true, samesite: 'Lax', path: '/api/v1/auth' },
        },
      ]);
      expect(response.text).not.toContain(response.cookies[0]!.value);
    });

    it('sets a persistent cookie with rememberMe', async () => {
      const { response } = await rest.open(account.username, true);
      expect(response.cookies[0]!.attributes['max-age']).toBe(String(30 * 24 * 3600));
    });

    it('finds the username in any case, Unicode form and with blanks, but rejects another password', async () => {
      const username = `  ${account.username.toUpperCase()} `;
      expect((await rest.login({ username, password: PASSWORD })).status).toBe(200);
      const refused = await rest.login({ username, password: PASSWORD.toLowerCase() });
      expect(refused).toEqual(problem(401, 'bad-credentials', '/api/v1/auth/login'));
      expect((await rest.login({ username, password: ` ${PASSWORD}` })).status).toBe(401);
    });

    it('ignores an Authorization header and unknown members', async () => {
      const body = { username: account.username, password: PASSWORD, tenantId: 'globex', extra: { deep: [1] } };
      const response = await rest.login(body, { authorization: 'Bearer garbage' });
      expect(response.status).toBe(200);
      expect(decodeJwt(response.body.accessToken)['tenantId']).toBe('acme');
    });

    it('writes account, tenant, session and lifetime to the token', async () => {
      const { accessToken } = await rest.open(account.username);
      const now = Math.floor(deployment.clock.now() / 1000);
      expect(decodeProtectedHeader(accessToken)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
      expect(decodeJwt(accessToken)).toEqual({
        sub: account.id,
        client_id: 'my-shop',
        email: 'alice@acme.test',
        tenantId: 'acme',
        roles: ['ROLE_MANAGER', 'ROLE_SALES', 'ROLE_ACCOUNTANT', 'ROLE_FLORIST'],
        sid: expect.any(String),
        iss: 'my-shop',
        aud: 'my-shop',
        iat: now,
        exp: now + 900,
        jti: expect.any(String),
        auth_time: now,
        amr: ['pwd'],
      });
    });

    it('omits the tenant for a SUPER_ADMIN', async () => {
      const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
      const { accessToken } = await rest.open(root.username);
      const claims = decodeJwt(accessToken);
      expect(claims).not.toHaveProperty('tenantId');
      expect(claims).not.toHaveProperty('email');
      expect((await rest.me(accessToken)).body).toEqual({
        id: root.id,
        username: root.username,
        name: root.name,
        roles: ['ROLE_SUPER_ADMIN'],
        createdAt: new Date(root.createdAt).toISOString(),
      });
    });
  });

  describe('me', () => {
    it('returns the stored account', async () => {
      const { accessToken } = await rest.open(account.username);
      const response = await rest.me(accessToken);
      expect(response.status).toBe(200);
      expect(response.body).toEqual({
        id: account.id,
        username: account.username,
        name: 'Alice',
        email: 'alice@acme.test',
        tenantId: 'acme',
        roles: ['ROLE_MANAGER', 'ROLE_SALES', 'ROLE_ACCOUNTANT', 'ROLE_FLORIST'],
        createdAt: new Date(account.createdAt).toISOString(),
      });
    });

    it('accepts the scheme in any letter case', async () => {
      const { accessToken } = await rest.open(account.username);
      for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
        const response = await rest.send('GET', '/api/v1/auth/me', {
          headers: { authorization: `${scheme} ${accessToken}` },
        });
        expect(response.status).toBe(200);
      }
    });

    it('returns 401 after the token has expired', async () => {
      const other = await deploy({ ...kind, settings: { 'app.security.access-token-ttl': '60s' } });
      try {
        const { username } = await seedAccount(other.database);
        const client = restClient(other.url);
        const { accessToken } = await client.open(username);
        other.clock.advance(59_000);
        expect((await client.me(accessToken)).status).toBe(200);
        other.clock.advance(1_000);
        expect(await client.me(accessToken)).toEqual(
          problem(401, 'unauthorized', '/api/v1/auth/me', 'Unauthorized - Invalid or expired token'),
        );
      } finally {
        await other.close();
      }
    });
  });

  describe('refresh', () => {
    it('rotates the cookie and renews the token of the same session', async () => {
      const first = await rest.open(account.username);
      const response = await rest.refresh(first.cookie);
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ accessToken: expect.any(String), expiresIn: 900 });
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('pragma')).toBe('no-cache');
      const next = sessionOf(response);
      expect(next.cookie).not.toBe(first.cookie);
      expect(response.cookies[0]).toEqual({ ...first.response.cookies[0]!, value: expect.any(String) });
      expect(decodeJwt(next.accessToken)['sid']).toBe(decodeJwt(first.accessToken)['sid']);
      expect(decodeJwt(next.accessToken).jti).not.toBe(decodeJwt(first.accessToken).jti);
      expect((await rest.me(next.accessToken)).status).toBe(200);
      expect((await rest.me(first.accessToken)).status).toBe(200);
    });

    it('keeps the kind of cookie in every refresh', async () => {
      let { cookie } = await rest.open(account.username, true);
      for (let i = 0; i < 3; i += 1) {
        const renewed = sessionOf(await rest.refresh(cookie));
        expect(renewed.response.cookies[0]!.attributes['max-age']).toBe('2592000');
        cookie = renewed.cookie;
      }
    });

    it.each([
      [true, 30 * 24 * 3600_000],
      [false, 24 * 3600_000],
    ])('extends the idle time (rememberMe %s)', async (rememberMe, window) => {
      const start = await rest.open(account.username, rememberMe);
      deployment.clock.advance(window - 1);
      const slid = sessionOf(await rest.refresh(start.cookie));
      deployment.clock.advance(window - 1);
      const again = sessionOf(await rest.refresh(slid.cookie));
      deployment.clock.advance(window);
      const refused = await rest.refresh(again.cookie);
      expect(refused).toEqual(problem(401, 'refresh-session-invalid', '/api/v1/auth/refresh'));
      expect(refused.cookies).toEqual([]);
    });
  });

  describe('logout', () => {
    it('ends the session of token and cookie at once', async () => {
      const session = await rest.open(account.username);
      const response = await rest.logout(session);
      expect(response.status).toBe(200);
      expect(response.text).toBe('');
      expect(response.cookies).toEqual([
        {
          name: 'MY_SHOP_REFRESH',
          value: '',
          attributes: expect.objectContaining({
            httponly: true,
            secure: true,
            samesite: 'Lax',
            path: '/api/v1/auth',
            'max-age': '0',
          }),
        },
      ]);
      expect(await rest.me(session.accessToken)).toEqual(
        problem(401, 'unauthorized', '/api/v1/auth/me', 'Unauthorized - Invalid or expired token'),
      );
      expect((await rest.refresh(session.cookie)).status).toBe(401);
      expect((await rest.logout(session)).status).toBe(401);
    });

    it('ends the session of the token alone', async () => {
      const session = await rest.open(account.username);
      const renewed = sessionOf(await rest.refresh(session.cookie));
      expect((await rest.logout({ accessToken: session.accessToken })).status).toBe(200);
      expect((await rest.me(renewed.accessToken)).status).toBe(401);
      expect((await rest.refresh(renewed.cookie)).status).toBe(401);
    });

    it('ends the session of the cookie even if the access token has expired', async () => {
      const session = await rest.open(account.username);
      expect((await rest.logout({ cookie: session.cookie })).status).toBe(200);
      expect((await rest.me(session.accessToken)).status).toBe(401);
      expect((await rest.refresh(session.cookie)).status).toBe(401);
    });

    it('ends both sessions if the token and the cookie belong to different ones', async () => {
      const [one, two] = [await rest.open(account.username), await rest.open(account.username)];
      expect((await rest.logout({ accessToken: one.accessToken, cookie: two.cookie })).status).toBe(200);
      for (const { accessToken, cookie } of [one, two]) {
        expect((await rest.me(accessToken)).status).toBe(401);
        expect((await rest.refresh(cookie)).status).toBe(401);
      }
    });

    it('returns 200 without a cookie, and with an invalid one', async () => {
      expect((await rest.logout()).status).toBe(200);
      expect((await rest.logout({ cookie: 'MY_SHOP_REFRESH=garbage' })).status).toBe(200);
      const empty = await rest.send('POST', '/api/v1/auth/logout', { headers: { 'content-type': 'application/json' } });
      expect(empty.status).toBe(200);
    });

    it('returns 200 with more cookies of its name than the core accepts', async () => {
      const session = await rest.open(account.username);
      const cookie = [session.cookie, ...Array.from({ length: 11 }, (_, i) => `MY_SHOP_REFRESH=garbage${i}`)].join(
        '; ',
      );
      const response = await rest.logout({ accessToken: session.accessToken, cookie });
      expect(response.status).toBe(200);
      expect(response.cookies[0]!.attributes['max-age']).toBe('0');
      expect((await rest.refresh(session.cookie)).status).toBe(401);
    });

    it('returns 401 with an invalid token, and ends no session', async () => {
      const session = await rest.open(account.username);
      const refused = await rest.logout({ accessToken: `${session.accessToken}x`, cookie: session.cookie });
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(refused.cookies).toEqual([]);
      expect((await rest.me(session.accessToken)).status).toBe(200);
      expect((await rest.refresh(session.cookie)).status).toBe(200);
    });

    it("keeps the user's other sessions", async () => {
      const [one, two] = [await rest.open(account.username), await rest.open(account.username)];
      await rest.logout(one);
      expect((await rest.me(two.accessToken)).status).toBe(200);
      expect((await rest.refresh(two.cookie)).status).toBe(200);
    });
  });
});
