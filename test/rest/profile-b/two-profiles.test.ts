// A gateway of each profile on one core: the same accounts, but sessions that stay in their own transport.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  RefreshTokenTransport,
  RequestOrigin,
  SessionServiceService,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { authError } from '../../support/auth-errors.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { addGateway, type AddedGateway } from '../../support/gateways.ts';
import { problem } from '../../support/problems.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { tokenClient, tokensOf, type TokenClient } from '../../support/token-client.ts';

rememberPasswords();

const REFRESH = '/api/v1/auth/refresh';
const REFUSED_A = problem(401, 'refresh-session-invalid', REFRESH);
const REFUSED_B = authError(401, 'AUTH_TOKEN_INVALID', REFRESH);

const {
  REFRESH_TOKEN_TRANSPORT_UNSPECIFIED: UNSPECIFIED,
  REFRESH_TOKEN_TRANSPORT_COOKIE: COOKIE,
  REFRESH_TOKEN_TRANSPORT_BODY: BODY,
} = RefreshTokenTransport;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let gatewayB: AddedGateway;
  let a: RestClient;
  let b: TokenClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy(kind);
    gatewayB = await addGateway(deployment, { 'app.security.auth-profile': 'B' });
    a = restClient(deployment.url);
    b = tokenClient(gatewayB.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(async () => {
    await gatewayB?.close();
    await deployment?.close();
  });

  const valueOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);

  it('one account can use both at once', async () => {
    const [cookies, tokens] = [await a.open(account.username), await b.open(account.username)];
    expect((await a.refresh(cookies.cookie)).status).toBe(200);
    expect((await b.refresh(tokens.refreshToken)).status).toBe(200);
  });

  it('both accept the access tokens of either, and respond in their own format', async () => {
    const [cookies, tokens] = [await a.open(account.username), await b.open(account.username)];
    for (const { accessToken } of [cookies, tokens]) {
      expect((await a.me(accessToken)).body).toMatchObject({ username: account.username });
      expect((await b.me(accessToken)).body).toMatchObject({ role: 'ROLE_MANAGER' });
    }
  });

  it('rejects a cookie value as a refresh token, and the session continues', async () => {
    const { cookie, accessToken } = await a.open(account.username, true);
    expect(await b.refresh(valueOf(cookie))).toEqual(REFUSED_B);
    expect(await b.refresh(cookie)).toEqual(REFUSED_B);
    expect((await a.me(accessToken)).status).toBe(200);
    expect((await a.refresh(cookie)).status).toBe(200);
  });

  it('rejects a refresh token as a cookie and in the legacy headers, and the session continues', async () => {
    const { refreshToken, accessToken } = await b.open(account.username);
    expect(await a.refresh(`MY_SHOP_REFRESH=${refreshToken}`)).toEqual(REFUSED_A);
    expect(await a.refresh(undefined, { 'x-refresh-token': refreshToken })).toEqual(REFUSED_A);
    expect(await a.refresh(undefined, { authorization: `Bearer ${refreshToken}` })).toEqual(REFUSED_A);
    expect((await b.me(accessToken)).status).toBe(200);
    expect((await b.refresh(refreshToken)).status).toBe(200);
  });

  it('does not end a session by a refresh token of the other transport', async () => {
    const { refreshToken } = await b.open(account.username);
    expect((await a.logout({ cookie: `MY_SHOP_REFRESH=${refreshToken}` })).status).toBe(200);
    const { refreshToken: next } = tokensOf(await b.refresh(refreshToken));

    const { cookie } = await a.open(account.username);
    const { accessToken } = await b.open(account.username);
    const cookieToB = { headers: { authorization: `Bearer ${accessToken}`, cookie } };
    expect((await b.send('POST', '/api/v1/auth/logout', cookieToB)).status).toBe(200);
    expect((await a.refresh(cookie)).status).toBe(200);
    expect((await b.refresh(next)).status).toBe(200);
  });

  it('both end a session by its access token', async () => {
    const [cookies, tokens] = [await a.open(account.username), await b.open(account.username)];
    expect((await b.logout(cookies.accessToken)).status).toBe(200);
    expect((await a.logout({ accessToken: tokens.accessToken })).status).toBe(200);
    expect(await a.refresh(cookies.cookie)).toEqual(REFUSED_A);
    expect(await b.refresh(tokens.refreshToken)).toEqual(REFUSED_B);
    for (const { accessToken } of [cookies, tokens]) expect((await a.me(accessToken)).status).toBe(401);
  });

  it('counts the failures at both for one account lock', async () => {
    const { username } = await seedAccount(deployment.database);
    for (let i = 0; i < 3; i += 1) expect((await a.login({ username, password: 'wrong' })).status).toBe(401);
    for (let i = 0; i < 2; i += 1) expect((await b.login({ username, password: 'wrong' })).status).toBe(401);
    expect((await a.login({ username, password: PASSWORD })).status).toBe(423);
    expect((await b.login({ username, password: PASSWORD })).status).toBe(423);
  });

  describe('refreshTokenTransport in a request', () => {
    const session = () => deployment.client(SessionServiceService);
    const origin = RequestOrigin.REQUEST_ORIGIN_UNSPECIFIED;
    const EMPTY = { refreshTokens: [], refreshTokenTransport: UNSPECIFIED };
    const invalid = { status: { reason: 'VALIDATION_ERROR', violations: [{ props: ['refreshTokenTransport'] }] } };

    it.each([UNSPECIFIED, 7, -1])('%i is rejected by every RPC, with any other fields', async (form) => {
      const refreshTokenTransport = form as RefreshTokenTransport;
      const { username } = account;
      const login = { username, password: PASSWORD, rememberMe: false, refreshTokenTransport };
      await expect(session().login(login)).rejects.toMatchObject(invalid);
      const { cookie, accessToken } = await a.open(username);
      const refreshTokens = [valueOf(cookie)];
      await expect(session().refresh({ refreshTokens, origin, refreshTokenTransport })).rejects.toMatchObject(invalid);
      const authorization = [`Bearer ${accessToken}`];
      await expect(session().logout({ refreshTokens, refreshTokenTransport }, { authorization })).rejects.toMatchObject(
        invalid,
      );
      expect((await a.refresh(cookie)).status).toBe(200);
    });

    it('is needless for a logout of the caller alone', async () => {
      const { username } = account;
      for (const { accessToken } of [await a.open(username), await b.open(username)]) {
        const other = await a.open(username);
        const authorization = [`Bearer ${accessToken}`];
        expect(await session().logout(EMPTY, { authorization })).toEqual({
          refreshCookieName: '',
        });
        expect((await a.me(accessToken)).status).toBe(401);
        expect((await a.me(other.accessToken)).status).toBe(200);
      }
    });

    it('is needless, but a credential is not: an empty logout without one ends nothing and says so', async () => {
      const reason = { status: { reason: 'TOKEN_MISSING' } };
      await expect(session().logout(EMPTY)).rejects.toMatchObject(reason);
    });

    it('selects the response of a login', async () => {
      const login = { username: account.username, password: PASSWORD, rememberMe: true };
      const cookie = await session().login({ ...login, refreshTokenTransport: COOKIE });
      expect(cookie.refreshCookie).toMatchObject({ name: 'MY_SHOP_REFRESH' });
      expect(cookie.refreshToken).toBeUndefined();
      const body = await session().login({ ...login, refreshTokenTransport: BODY });
      expect(body.refreshCookie).toBeUndefined();
      expect(body.refreshToken).toEqual(expect.any(String));
    });

    it('ends the session of a refresh token only together with an access token', async () => {
      const { refreshToken, accessToken } = await b.open(account.username);
      const other = await b.open(account.username);
      const request = { refreshTokens: [refreshToken, 'garbage'], refreshTokenTransport: BODY };
      await expect(session().logout(request)).rejects.toMatchObject({ status: { reason: 'TOKEN_MISSING' } });
      expect((await b.me(accessToken)).status).toBe(200);
      await session().logout(request, { authorization: [`Bearer ${other.accessToken}`] });
      for (const ended of [accessToken, other.accessToken]) expect((await b.me(ended)).status).toBe(401);
      expect(await b.refresh(refreshToken)).toEqual(REFUSED_B);
    });
  });

  it('both return the same outside authentication', async () => {
    for (const path of ['/api/v1/nowhere', '/nowhere', '/api/v1/authx', '/api/v1']) {
      for (const client of [a, b]) expect(await client.send('GET', path)).toEqual(problem(404, 'not-found', path));
    }
  });
});
