// What ends grants: with their session, or also those with offline_access. At once, at the other process.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { expectTokenError, type Tokens } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import {
  callerOf,
  ISSUER,
  openedServices,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';
import { setUpTotp } from '../../support/totp.ts';
import { seedClient } from '../m2m/clients.ts';

rememberPasswords();

const OFFLINE = { scope: 'openid offline_access' };
const NEW_PASSWORD = 'A long enough password';

describe.each(DIAGONAL)('ends of grants, $engine over $transport', (kind) => {
  // `second` serves the ends, `service` what is checked after them.
  const [service, second] = openedServices(kind);
  let party: ServiceParty;
  let introspector: { id: string; secret: string };
  beforeAll(async () => {
    party = await service.party({ firstParty: true });
    introspector = await seedClient(service.deployment.database);
  });
  interface Stage {
    readonly user: ServiceUser;
    readonly browser: Browser;
    readonly bound: Tokens;
    readonly offline: Tokens;
  }
  const stage = async (seed: object = {}): Promise<Stage> => {
    const user = await service.user(seed);
    const browser = await signedIn(service, user);
    const bound = await party.logIn(browser, user);
    return { user, browser, bound, offline: await party.logIn(browser, user, OFFLINE) };
  };
  const isActive = async (token: string): Promise<boolean> => {
    const form = { token, client_id: introspector.id, client_secret: introspector.secret };
    return (await party.token(form, null, service.metadata['introspection_endpoint'])).body.active;
  };
  const expectOver = async ({ accessToken, refreshToken }: Tokens) => {
    expect((await party.userinfo(accessToken)).status).toBe(401);
    expect(await isActive(accessToken)).toBe(false);
    expectTokenError(await party.refresh(refreshToken), 'invalid_grant');
  };
  const expectLive = async ({ accessToken, refreshToken }: Tokens) => {
    expect((await party.userinfo(accessToken)).status).toBe(200);
    expect(await isActive(accessToken)).toBe(true);
    await party.tokensOf(await party.refresh(refreshToken));
  };
  const admin = async () => callerOf(second, await adminBrowser());
  const adminBrowser = async () => signedIn(second, await second.user({ roles: ['ADMIN'] }));

  type End = readonly [what: string, end: (stage: Stage) => Promise<{ status: number }>];

  describe('ends what is bound to the session, and not what is offline', () => {
    it.each<End>([
      ['logout', ({ browser }) => callerOf(second, browser).post('/auth/logout')],
      [
        'the end of the session by its owner',
        ({ user, browser }) => callerOf(second, browser).delete(`/users/${user.sub}/sessions/${sessionOf(browser)}`),
      ],
      [
        'the end of the session by an administrator',
        async ({ user, browser }) => (await admin()).delete(`/users/${user.sub}/sessions/${sessionOf(browser)}`),
      ],
      ['changed roles', async ({ user }) => (await admin()).put(`/users/${user.sub}/roles`, { roles: ['SALES'] })],
      [
        'a login that replaces the session',
        async ({ user, browser }) =>
          browser.send('POST', `${ISSUER}/api/v1/auth/login`, {
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ username: user.username, password: PASSWORD }),
          }),
      ],
    ])('%s', async (_, end) => {
      const at = await stage();
      await expectLive(at.bound);
      expect((await end(at)).status).toBeLessThan(300);
      await expectOver(at.bound);
      await expectLive(at.offline);
    });

    it('a replay of the session', async () => {
      const at = await stage();
      const refresh = (cookie: string) => second.send('POST', `${ISSUER}/api/v1/auth/refresh`, { headers: { cookie } });
      const cookie = `MY_SHOP_REFRESH=${at.browser.cookies.get('MY_SHOP_REFRESH')!.value}`;
      expect((await refresh(cookie)).status).toBe(200);
      expect((await refresh(cookie)).status).toBe(401);
      await expectOver(at.bound);
      await expectLive(at.offline);
    });

    it('the idle end of the session', async () => {
      const at = await stage();
      service.advance(24 * 3_600_000);
      expectTokenError(await party.refresh(at.bound.refreshToken), 'invalid_grant');
      const offline = await party.tokensOf(await party.refresh(at.offline.refreshToken));
      expect((await party.userinfo(offline.accessToken)).status).toBe(200);
    });
  });

  describe('ends both', () => {
    it.each<End>([
      [
        "a change of the owner's password",
        ({ browser }) =>
          callerOf(second, browser).put('/account/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
      ],
      [
        'a change of the password by an administrator',
        async ({ user }) => (await admin()).put(`/users/${user.sub}/password`, { password: NEW_PASSWORD }),
      ],
      [
        'the end of all sessions by an administrator',
        async ({ user }) => (await admin()).delete(`/users/${user.sub}/sessions`),
      ],
      ['a disabled account', async ({ user }) => (await admin()).post(`/users/${user.sub}/disable`)],
      ['a deleted account', async ({ user }) => (await admin()).delete(`/users/${user.sub}`)],
    ])('%s', async (_, end) => {
      const at = await stage();
      await expectLive(at.offline);
      expect((await end(at)).status).toBeLessThan(300);
      await expectOver(at.bound);
      await expectOver(at.offline);
    });

    it('a reset of the factors by an administrator', async () => {
      const at = await stage();
      await setUpTotp(callerOf(service, at.browser), service.deployment.clock);
      await expectLive(at.offline);
      expect((await (await admin()).delete(`/users/${at.user.sub}/factors`)).status).toBeLessThan(300);
      await expectOver(at.bound);
      await expectOver(at.offline);
    });

    it('an account that is enabled again gets none of them back', async () => {
      const at = await stage();
      const by = await admin();
      expect((await by.post(`/users/${at.user.sub}/disable`)).status).toBeLessThan(300);
      expect((await by.post(`/users/${at.user.sub}/enable`)).status).toBeLessThan(300);
      await expectOver(at.bound);
      await expectOver(at.offline);
    });
  });

  it('the end of all other sessions by the owner ends their grants, not those of the calling one', async () => {
    const at = await stage();
    const other = await signedIn(service, at.user);
    const own = { bound: await party.logIn(other, at.user), offline: await party.logIn(other, at.user, OFFLINE) };
    expect((await callerOf(second, other).delete('/account/sessions')).status).toBeLessThan(300);
    await expectOver(at.bound);
    await expectOver(at.offline);
    await expectLive(own.bound);
    await expectLive(own.offline);
  });

  it('a factor that the owner adds leaves the offline grants of other sessions', async () => {
    const at = await stage();
    const other = await signedIn(service, at.user);
    await setUpTotp(callerOf(second, other), service.deployment.clock);
    await expectOver(at.bound);
    await expectLive(at.offline);
  });

  it('a deleted application ends all its grants', async () => {
    const victim = await service.party();
    const user = await service.user();
    const browser = await signedIn(service, user);
    const tokens = await victim.logIn(browser, user);
    const root = await second.root();
    expect((await root.delete(`/applications/${victim.client.applicationId}`)).status).toBe(204);
    expect((await victim.userinfo(tokens.accessToken)).status).toBe(401);
    expect(await isActive(tokens.accessToken)).toBe(false);
    expectTokenError(await victim.refresh(tokens.refreshToken), 'invalid_client', 401);
    expect((await callerOf(service, browser).get('/account/grants')).body).toEqual([]);
  });

  describe('refuses while it lasts', () => {
    const refused = async ({ accessToken, refreshToken }: Tokens) => {
      expect((await party.userinfo(accessToken)).status).toBe(401);
      expect(await isActive(accessToken)).toBe(false);
      return party.refresh(refreshToken);
    };

    it('a suspended tenant: invalid_grant', async () => {
      const user = await service.user({ tenantId: 'pausing' });
      const tenant = await service.party({ tenantId: 'pausing', firstParty: true });
      const browser = await signedIn(service, user);
      const tokens = await tenant.logIn(browser, user, OFFLINE);
      const authorized = await tenant.signIn(browser, user);
      const root = await second.root();
      expect((await root.post('/tenants/pausing/suspend')).status).toBeLessThan(300);
      for (const response of [await tenant.refresh(tokens.refreshToken), await tenant.redeem(authorized)])
        expectTokenError(response, 'invalid_grant');
      expect((await tenant.userinfo(tokens.accessToken)).status).toBe(401);
      expect((await root.post('/tenants/pausing/activate')).status).toBeLessThan(300);
      await tenant.tokensOf(await tenant.refresh(tokens.refreshToken));
    });

    it('a missing requiredPermission: invalid_grant', async () => {
      const user = await service.user({ roles: ['ADMIN'] });
      const browser = await signedIn(service, user);
      const demanding = await service.party({ firstParty: true, requiredPermission: 'wiki:read' });
      const tokens = await demanding.logIn(browser, user, OFFLINE);
      const by = await admin();
      expect((await by.put(`/users/${user.sub}/roles`, { roles: ['SALES'] })).status).toBeLessThan(300);
      expectTokenError(await demanding.refresh(tokens.refreshToken), 'invalid_grant');
      expect((await by.put(`/users/${user.sub}/roles`, { roles: ['ADMIN'] })).status).toBeLessThan(300);
      await demanding.tokensOf(await demanding.refresh(tokens.refreshToken));
    });

    it('an expired account', async () => {
      const at = await stage();
      const by = await admin();
      const accountExpiresAt = new Date(service.now() * 1_000).toISOString();
      expect((await by.patch(`/users/${at.user.sub}`, { accountExpiresAt })).status).toBe(200);
      expectTokenError(await refused(at.offline), 'invalid_grant');
    });
  });

  const sessionOf = (browser: Browser) => decodeJwt(browser.accessToken!)['sid'] as string;
});
