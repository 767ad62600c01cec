// One browser origin per session: the first request sets it, and any other is rejected without a change.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { addGateway, type AddedGateway } from '../../support/gateways.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient, sessionOf, type RestResponse, type RestClient } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const SHOP = 'https://shop.test';
const ADMIN = 'https://admin.test';
const ALLOWED = { 'app.http.cors.allowed-origins': `${SHOP},${ADMIN}` };
const LOGOUT = '/api/v1/auth/logout';

const cookieOf = (origin: string) => `MY_SHOP_REFRESH_${createHash('sha256').update(origin).digest('hex').slice(0, 8)}`;

describe.each(DIAGONAL)('the browser origin of a session ($engine, $transport)', (how) => {
  let deployment: Deployment;
  let account: Account;
  let rest: RestClient;
  /** A gateway with one cookie name for all; the deployment's own has one for each origin. */
  let plain: AddedGateway;
  let tokens: AddedGateway;

  beforeAll(async () => {
    const settings = { ...ALLOWED, 'app.security.refresh-session.cookie-per-origin': 'true' };
    deployment = await deploy({ ...how, settings });
    account = await seedAccount(deployment.database);
    plain = await addGateway(deployment, ALLOWED);
    tokens = await addGateway(deployment, { ...ALLOWED, 'app.security.auth-profile': 'B' });
    rest = restClient(plain.url);
  });
  afterAll(async () => {
    await tokens?.close();
    await plain?.close();
    await deployment?.close();
  });

  const login = (origin?: string) =>
    rest.login({ username: account.username, password: PASSWORD }, origin === undefined ? {} : { origin });
  const refresh = (cookie: string, origin?: string) => rest.refresh(cookie, origin === undefined ? {} : { origin });
  const logout = (headers: Record<string, string>) => rest.send('POST', LOGOUT, { headers });
  const next = (response: RestResponse) => `MY_SHOP_REFRESH=${response.cookies[0]!.value}`;

  async function stored(sessionId: string) {
    const [row] = await deployment.database.query('SELECT * FROM session_families WHERE id = ?', [
      idToBytes(sessionId),
    ]);
    return row;
  }

  async function refusalsOf(sessionId: string) {
    await deployment.core.flush();
    const rows = await deployment.database.query<{ details: string }>(
      "SELECT details FROM audit_records WHERE event = 'session.refresh-refused'",
    );
    return rows.map(({ details }) => JSON.parse(details)).filter((details) => details.sessionId === sessionId);
  }

  function expectOtherOrigin(response: RestResponse, path = '/api/v1/auth/refresh'): void {
    expect(response).toEqual(problem(401, 'refresh-session-invalid', path));
    expect(response.body.detail).toContain('(policy): other origin');
    expect(response.cookies).toEqual([]);
  }

  it('is stored at the login', async () => {
    const first = await login(SHOP);
    expect(first.status).toBe(200);
    const cookie = next(first);
    expectOtherOrigin(await refresh(cookie, ADMIN));
    expect((await refresh(cookie, SHOP)).status).toBe(200);
  });

  it('is stored at the first refresh with an Origin, but not at a rejected one', async () => {
    const session = await seedSession(deployment, account);
    const second = await refresh(session.cookie);
    const third = await refresh(next(second), SHOP);
    expect([second.status, third.status]).toEqual([200, 200]);
    const before = await stored(session.id);
    // The current one, and two that would be replays.
    for (const cookie of [next(third), next(second), session.cookie]) expectOtherOrigin(await refresh(cookie, ADMIN));
    expect(await stored(session.id)).toEqual(before);
    expect(await refusalsOf(session.id)).toEqual(
      Array(3).fill(expect.objectContaining({ class: 'policy', reason: expect.stringContaining('other origin') })),
    );
    expect((await rest.me(session.accessToken)).status).toBe(200);
    expect((await refresh(next(third), SHOP)).status).toBe(200);
  });

  it('is not checked for a request without an Origin', async () => {
    const session = await seedSession(deployment, account);
    const second = await refresh(session.cookie, SHOP);
    expect((await refresh(next(second))).status).toBe(200);
  });

  it('is compared exactly', async () => {
    const { id, cookie } = await seedSession(deployment, account);
    await deployment.database.execute('UPDATE session_families SET origin = ? WHERE id = ?', [
      Buffer.from(`${SHOP} `),
      idToBytes(id),
    ]);
    expectOtherOrigin(await refresh(cookie, SHOP));
  });

  it('is one of two origins that refresh first at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, cookie } = await seedSession(deployment, account);
      const responses = await Promise.all([SHOP, ADMIN].map((origin) => refresh(cookie, origin)));
      const won = responses.findIndex(({ status }) => status === 200);
      expectOtherOrigin(responses[1 - won]!);
      expect(Buffer.from((await stored(id))!['origin'] as Uint8Array).toString()).toBe([SHOP, ADMIN][won]);
      expect((await refresh(next(responses[won]!), [SHOP, ADMIN][won])).status).toBe(200);
    }
  });

  it('is checked at a logout, by cookie, by token and for each of several sessions', async () => {
    const [own, other] = [await seedSession(deployment, account), await seedSession(deployment, account)];
    const ownCookie = next(await refresh(own.cookie, SHOP));
    const before = [await stored(own.id), await stored(other.id)];
    for (const headers of [
      { cookie: ownCookie },
      bearer(own.accessToken),
      { ...bearer(own.accessToken), cookie: ownCookie },
      // The session of the cookie is refused, so the one of the token stays as well.
      { ...bearer(other.accessToken), cookie: ownCookie },
    ]) {
      expectOtherOrigin(await logout({ ...headers, origin: ADMIN }), LOGOUT);
    }
    expect([await stored(own.id), await stored(other.id)]).toEqual(before);
    expect((await rest.me(own.accessToken)).status).toBe(200);
    expect((await logout({ cookie: ownCookie, origin: SHOP })).status).toBe(200);
    expect((await rest.me(own.accessToken)).status).toBe(401);
    // A logout may be the first that brings an origin.
    expect((await logout({ cookie: other.cookie, origin: SHOP })).status).toBe(200);
    expectOtherOrigin(await logout({ cookie: other.cookie, origin: ADMIN }), LOGOUT);
  });

  it('is checked for refresh tokens in the body too', async () => {
    const { refreshToken, accessToken } = await seedTokens(deployment, account);
    const client = restClient(tokens.url);
    const renew = (token: string, origin: string) =>
      client.postJson('/api/v1/auth/refresh', { refresh_token: token }, { origin });
    const second = await renew(refreshToken, SHOP);
    expect(second.status).toBe(200);
    const refused = await renew(second.body.refresh_token, ADMIN);
    expect({ status: refused.status, error: refused.body.error }).toEqual({ status: 401, error: 'AUTH_TOKEN_INVALID' });
    expect((await client.me(accessToken)).status).toBe(200);
    expect((await renew(second.body.refresh_token, SHOP)).status).toBe(200);
  });

  it("has its own cookie name with cookie-per-origin, except for the service's origin", async () => {
    const client = restClient(deployment.url);
    const credentials = { username: account.username, password: PASSWORD };
    const open = async (headers: Record<string, string>) => sessionOf(await client.login(credentials, headers));
    const [shop, admin, own, bare] = [
      await open({ origin: SHOP }),
      await open({ origin: ADMIN }),
      await open({ origin: deployment.url }),
      await open({}),
    ];
    const names = [shop, admin, own, bare].map(({ response }) => response.cookies[0]!.name);
    expect(names).toEqual([cookieOf(SHOP), cookieOf(ADMIN), 'MY_SHOP_REFRESH', 'MY_SHOP_REFRESH']);

    // A browser sends all of them; each origin's own one counts.
    const jar = [shop.cookie, admin.cookie, own.cookie].join('; ');
    const responses = await Promise.all([SHOP, ADMIN, deployment.url].map((origin) => client.refresh(jar, { origin })));
    expect(responses.map(({ status, cookies }) => [status, cookies[0]?.name])).toEqual([
      [200, cookieOf(SHOP)],
      [200, cookieOf(ADMIN)],
      [200, 'MY_SHOP_REFRESH'],
    ]);
    const ended = await client.send('POST', LOGOUT, {
      headers: { cookie: sessionOf(responses[0]!).cookie, origin: SHOP },
    });
    expect([ended.status, ended.cookies[0]!.name]).toEqual([200, cookieOf(SHOP)]);
    expect((await client.me(shop.accessToken)).status).toBe(401);
    expect((await client.me(admin.accessToken)).status).toBe(200);
  });

  describe('a logout of several sessions', () => {
    it('writes an audit record for each, in its tenant, with its actor', async () => {
      const stranger = await seedAccount(deployment.database, { tenantId: 'globex' });
      const mine = await seedSession(deployment, account);
      const theirs = await seedSession(deployment, stranger);
      const ended = await seedSession(deployment, stranger);
      expect((await rest.logout({ cookie: ended.cookie })).status).toBe(200);
      const cookie = [theirs.cookie, ended.cookie, theirs.cookie].join('; ');
      expect((await rest.logout({ accessToken: mine.accessToken, cookie })).status).toBe(200);
      expect((await rest.me(theirs.accessToken)).status).toBe(401);

      const rows = await deployment.database.query<Record<string, Uint8Array | null> & { details: string }>(
        "SELECT tenant_id, account_id, actor_id, details FROM audit_records WHERE event = 'session.logged-out' ORDER BY id",
      );
      const records = rows.map(({ tenant_id: tenant, account_id: of, actor_id: actor, details }) => ({
        tenant: Buffer.from(tenant!).toString(),
        account: Buffer.from(of!).equals(idToBytes(account.id)) ? 'mine' : 'theirs',
        actor: actor && (Buffer.from(actor).equals(idToBytes(account.id)) ? 'mine' : 'theirs'),
        session: JSON.parse(details).sessionId,
      }));
      const known = [mine.id, theirs.id, ended.id];
      expect(records.filter(({ session }) => known.includes(session))).toEqual([
        { tenant: 'globex', account: 'theirs', actor: null, session: ended.id },
        { tenant: 'acme', account: 'mine', actor: null, session: mine.id },
        { tenant: 'globex', account: 'theirs', actor: 'mine', session: theirs.id },
      ]);
    });
  });
});
