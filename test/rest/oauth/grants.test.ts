// The grants of an account: lists, revocation by owner and administrator. Introspection and revocation of their tokens.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { expectTokenError, random, type Tokens } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { problem } from '../../support/problems.ts';
import {
  callerOf,
  ISSUER,
  openedService,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';
import { seedClient, type MachineClient } from '../m2m/clients.ts';
import { TIME } from '../admin/administration.ts';

rememberPasswords();

describe.each(DIAGONAL)('grants, $engine over $transport', (kind) => {
  const service = openedService(kind);
  let party: ServiceParty;
  beforeAll(async () => {
    party = await service.party();
  });

  const gidOf = ({ accessToken }: Pick<Tokens, 'accessToken'>) => decodeJwt(accessToken)['gid'] as string;
  const person = async (seed: object = {}) => {
    const user = await service.user(seed);
    const browser = await signedIn(service, user);
    return { user, browser, self: callerOf(service, browser) };
  };
  const needsConsent = async (by: ServiceParty, browser: Browser) => {
    const { request: _, ...outcome } = await by.authorize(browser, { prompt: 'none' });
    return outcome.kind === 'callback' && outcome.parameters.get('error') === 'consent_required';
  };

  it('are listed by the owner and by an administrator, the newest first', async () => {
    const { user, browser, self } = await person();
    const first = await party.logIn(browser, user, { scope: 'openid email' });
    service.advance(5_000);
    const second = await party.logIn(browser, user, { scope: 'openid offline_access' });
    service.advance(5_000);
    await party.tokensOf(await party.refresh(first.refreshToken));
    const own = await self.get('/account/grants');
    const application = { clientId: party.client.id, name: 'Wiki' };
    expect([own.status, own.body]).toEqual([
      200,
      [
        {
          id: gidOf(second),
          application,
          scopes: ['openid', 'offline_access'],
          offline: true,
          createdAt: TIME,
          lastUsedAt: TIME,
          network: '127.0.0.1',
        },
        {
          id: gidOf(first),
          application,
          scopes: ['openid', 'email'],
          offline: false,
          createdAt: TIME,
          lastUsedAt: TIME,
          network: '127.0.0.1',
        },
      ],
    ]);
    const [newest, oldest] = own.body;
    expect(Date.parse(oldest.lastUsedAt)).toBeGreaterThan(Date.parse(newest.lastUsedAt));
    const admin = await service.admin();
    expect((await admin.get(`/users/${user.sub}/grants`)).body).toEqual(own.body);
    expect((await self.get('/account/grants?perPage=1&page=2')).body).toEqual([oldest]);
  });

  it('DELETE ends the grant and forgets the consent: 204, then 404', async () => {
    const { user, browser, self } = await person();
    const tokens = await party.logIn(browser, user);
    const path = `/account/grants/${gidOf(tokens)}`;
    expect(await needsConsent(party, browser)).toBe(false);
    expect((await self.delete(path)).status).toBe(204);
    expect(await self.delete(path)).toEqual(problem(404, 'not-found', `/api/v1${path}`));
    expect(await needsConsent(party, browser)).toBe(true);
    expectTokenError(await party.refresh(tokens.refreshToken), 'invalid_grant');
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expect((await self.get('/auth/me')).status).toBe(200);
    expect((await self.get('/account/grants')).body).toEqual([]);
  });

  it('DELETE by an administrator does the same', async () => {
    const { user, browser } = await person();
    const tokens = await party.logIn(browser, user);
    const admin = await service.admin();
    const path = `/users/${user.sub}/grants/${gidOf(tokens)}`;
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.delete(path)).status).toBe(404);
    expect(await needsConsent(party, browser)).toBe(true);
    expectTokenError(await party.refresh(tokens.refreshToken), 'invalid_grant');
  });

  it('DELETE ends all that the consent has allowed, offline grants too, and nothing of other applications and users', async () => {
    const { user, browser, self } = await person();
    const [ended, offline] = [
      await party.logIn(browser, user),
      await party.logIn(browser, user, { scope: 'openid offline_access' }),
    ];
    const other = await service.party();
    const ofOther = await other.logIn(browser, user);
    const { user: somebody, browser: beside } = await person();
    const ofSomebody = await party.logIn(beside, somebody);
    expect((await self.delete(`/account/grants/${gidOf(ended)}`)).status).toBe(204);
    for (const tokens of [ended, offline]) {
      expectTokenError(await party.refresh(tokens.refreshToken), 'invalid_grant');
      expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    }
    await other.tokensOf(await other.refresh(ofOther.refreshToken));
    await party.tokensOf(await party.refresh(ofSomebody.refreshToken));
    expect((await self.get('/account/grants')).body.map(({ id }: { id: string }) => id)).toEqual([gidOf(ofOther)]);
  });

  it('DELETE of a grant that needs no consent ends it alone', async () => {
    const trusted = await service.party({ firstParty: true });
    const { user, browser, self } = await person();
    const [ended, kept] = [await trusted.logIn(browser, user), await trusted.logIn(browser, user)];
    expect((await self.delete(`/account/grants/${gidOf(ended)}`)).status).toBe(204);
    expectTokenError(await trusted.refresh(ended.refreshToken), 'invalid_grant');
    await trusted.tokensOf(await trusted.refresh(kept.refreshToken));
  });

  it("another account's grants are 404, another tenant's too, and those of the powerful 403", async () => {
    const { user, browser } = await person();
    const tokens = await party.logIn(browser, user);
    const { self: other } = await person();
    expect((await other.delete(`/account/grants/${gidOf(tokens)}`)).status).toBe(404);
    expect((await other.delete(`/account/grants/${newId()}`)).status).toBe(404);
    expect((await other.get(`/users/${user.sub}/grants`)).status).toBe(403);
    const globex = await service.admin('globex');
    expect((await globex.get(`/users/${user.sub}/grants`)).status).toBe(404);
    expect((await globex.delete(`/users/${user.sub}/grants/${gidOf(tokens)}`)).status).toBe(404);
    await party.tokensOf(await party.refresh(tokens.refreshToken));
  });

  it('are in no list of sessions, and count towards no limit of them', async () => {
    const { user, browser, self } = await person();
    const before = (await self.get('/account/sessions')).body.length;
    await party.logIn(browser, user, { scope: 'openid offline_access' });
    expect((await self.get('/account/sessions')).body).toHaveLength(before);
  });

  it('a consent that is revoked while a code is open refuses the code', async () => {
    const { user, browser, self } = await person();
    const tokens = await party.logIn(browser, user);
    const authorized = await party.signIn(browser, user);
    expect((await self.delete(`/account/grants/${gidOf(tokens)}`)).status).toBe(204);
    expectTokenError(await party.redeem(authorized), 'invalid_grant');
  });

  it('a code that was stored beside the revocation of its consent is refused, also after a new consent', async () => {
    const { user, browser } = await person();
    await party.logIn(browser, user);
    const authorized = await party.signIn(browser, user);
    // As the revocation does, when it sees no code yet.
    await service.deployment.database.execute('DELETE FROM consents WHERE account_id = ?', [idToBytes(user.sub)]);
    expectTokenError(await party.redeem(authorized), 'invalid_grant');
    const allowed = await party.signIn(browser, user);
    expectTokenError(await party.redeem(authorized), 'invalid_grant');
    await party.tokensOf(await party.redeem(allowed));
  });

  describe('introspection', () => {
    let machine: MachineClient;
    let user: ServiceUser;
    let browser: Browser;
    beforeAll(async () => {
      machine = await seedClient(service.deployment.database);
      ({ user, browser } = await person());
    });
    const introspect = async (token: string, by: ServiceParty | MachineClient, more: object = {}) => {
      const url = service.metadata['introspection_endpoint'];
      const response =
        'client' in by
          ? await by.token({ token, ...more }, undefined, url)
          : await party.token({ token, client_id: by.id, client_secret: by.secret, ...more }, null, url);
      expect(response.status).toBe(200);
      return response.body;
    };
    const INACTIVE = { active: false };

    it('of an access token: the claims of OAuth, no permissions', async () => {
      const { accessToken } = await party.logIn(browser, user, { scope: 'openid roles' });
      const { sid, gid, jti, iat, exp, auth_time: authTime, roles } = decodeJwt(accessToken);
      for (const by of [party, machine]) {
        const body = await introspect(accessToken, by);
        expect(body).toMatchObject({
          active: true,
          iss: ISSUER,
          aud: ISSUER,
          sub: user.sub,
          client_id: party.client.id,
          scope: 'openid roles',
          token_type: 'Bearer',
          tenantId: 'acme',
          auth_time: authTime,
          amr: ['pwd'],
          sid,
          gid,
          jti,
          iat,
          exp,
          roles,
        });
        expect(body).not.toHaveProperty('permissions');
      }
    });

    it('of a refresh token, by its application alone', async () => {
      const { refreshToken } = await party.logIn(browser, user);
      expect(await introspect(refreshToken, party)).toEqual({
        active: true,
        client_id: party.client.id,
        sub: user.sub,
        scope: 'openid',
        iat: expect.any(Number),
        exp: expect.any(Number),
        token_type: expect.any(String),
      });
      expect(await introspect(refreshToken, machine)).toEqual(INACTIVE);
      expect(await introspect(refreshToken, await service.party())).toEqual(INACTIVE);
    });

    it('is for those whom the audience concerns', async () => {
      const api = 'https://api.example.com';
      const holder = await service.party({ resources: [api] });
      const { accessToken } = await holder.logIn(browser, user, { resource: api });
      const owner = await service.party({ resources: [api] });
      expect(await introspect(accessToken, holder)).toMatchObject({ active: true, aud: api });
      expect(await introspect(accessToken, owner)).toMatchObject({ active: true, aud: api });
      expect(await introspect(accessToken, party)).toEqual(INACTIVE);
      expect(await introspect(accessToken, machine)).toEqual(INACTIVE);
      const server = await seedClient(service.deployment.database, { tenantId: 'watchers', resourceServer: true });
      expect(await introspect(accessToken, server)).toMatchObject({ active: true });
      const { accessToken: plain } = await party.logIn(browser, user);
      expect(await introspect(plain, owner)).toEqual(INACTIVE);
      const foreign = await seedClient(service.deployment.database, { tenantId: 'globex' });
      expect(await introspect(plain, foreign)).toEqual(INACTIVE);
    });

    it('is for the applications of the tenant alone', async () => {
      const api = 'https://shared-api.example.com';
      const shared = await service.party({ tenantId: undefined, firstParty: true, resources: [api] });
      const { accessToken } = await shared.logIn(browser, user, { resource: api });
      const [own, foreign] = [
        await service.party({ resources: [api] }),
        await service.party({ tenantId: 'globex', resources: [api] }),
      ];
      expect(await introspect(accessToken, own)).toMatchObject({ active: true, aud: api });
      expect(await introspect(accessToken, foreign)).toEqual(INACTIVE);
    });

    it('names the user to an application with the scope profile alone', async () => {
      const { accessToken } = await party.logIn(browser, user);
      expect(await introspect(accessToken, party)).not.toHaveProperty('username');
      expect(await introspect(accessToken, machine)).toMatchObject({ username: user.username });
      const { accessToken: named } = await party.logIn(browser, user, { scope: 'openid profile' });
      expect(await introspect(named, party)).toMatchObject({ username: user.username });
    });

    it('of nothing of the application is inactive', async () => {
      for (const token of [random(), 'x', browser.accessToken!])
        expect(await introspect(token, party)).toEqual(INACTIVE);
    });

    it('is not for a public client: 401', async () => {
      const spa = await service.party({ type: 'SPA' });
      const { accessToken } = await spa.logIn(browser, user);
      const response = await spa.token({ token: accessToken }, undefined, service.metadata['introspection_endpoint']);
      expectTokenError(response, 'invalid_client', 401);
    });
  });

  describe('revocation', () => {
    const revoke = (by: ServiceParty, token: string, authentication?: null) =>
      by.token({ token }, authentication, service.metadata['revocation_endpoint']);

    it.each(['accessToken', 'refreshToken'] as const)('by its %s ends the grant, never the session', async (name) => {
      const { user, browser, self } = await person();
      const [tokens, other] = [await party.logIn(browser, user), await party.logIn(browser, user)];
      expect((await revoke(party, tokens[name])).status).toBe(200);
      expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
      expectTokenError(await party.refresh(tokens.refreshToken), 'invalid_grant');
      expect((await self.get('/auth/me')).status).toBe(200);
      await party.tokensOf(await party.refresh(other.refreshToken));
      expect(await needsConsent(party, browser)).toBe(false);
    });

    it("needs the application's authentication: 401 invalid_client, and nothing changes", async () => {
      const { user, browser } = await person();
      const spa = await service.party({ type: 'SPA' });
      for (const by of [party, spa]) {
        const tokens = await by.logIn(browser, user);
        for (const token of [tokens.accessToken, tokens.refreshToken])
          expectTokenError(await revoke(by, token, null), 'invalid_client', 401);
        await by.tokensOf(await by.refresh(tokens.refreshToken));
        expect((await revoke(by, tokens.accessToken)).status).toBe(200);
        expectTokenError(await by.refresh(tokens.refreshToken), 'invalid_grant');
      }
    });

    it("of another application's or an unknown token is 200, and nothing changes", async () => {
      const { user, browser, self } = await person();
      const other = await service.party();
      const tokens = await party.logIn(browser, user);
      for (const token of [tokens.accessToken, tokens.refreshToken, random()])
        expect((await revoke(other, token)).status).toBe(200);
      expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
      await party.tokensOf(await party.refresh(tokens.refreshToken));
      expect((await self.get('/auth/me')).status).toBe(200);
    });
  });
});
