// What an application loses by a change, its grants lose, too: at once, at every process. What it gets back, they get back.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { API } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openEvents } from '../../support/event-stream.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { expectTokenError } from '../../support/oauth/party.ts';
import { bearer } from '../../support/rest-client.ts';
import { ISSUER, openedServices, signedIn, type ServiceParty, type ServiceUser } from '../../support/oauth/service.ts';

rememberPasswords();

const RESOURCE = 'https://api.example.com';
const OURS = 'my-shop';

describe.each(DIAGONAL)('a changed application, $engine over $transport', (kind) => {
  // `second` serves the changes, `service` what is checked after them.
  const [service, second] = openedServices(kind);
  let user: ServiceUser;
  let browser: Browser;
  beforeAll(async () => {
    user = await service.user({ roles: ['SALES'] });
    browser = await signedIn(service, user);
  });

  const change = async ({ client }: ServiceParty, fields: object) => {
    const changed = await (await second.root()).patch(`/applications/${client.applicationId}`, fields);
    expect(changed.status).toBe(200);
  };
  const introspect = async (party: ServiceParty, token: string) =>
    (await party.token({ token }, undefined, service.metadata['introspection_endpoint'])).body;

  it('without a scope has nothing of it: in userinfo, introspection and new tokens', async () => {
    const party = await service.party({ firstParty: true });
    const { accessToken, refreshToken } = await party.logIn(browser, user, { scope: 'openid email roles' });
    await change(party, { scopes: ['openid', 'groups'] });
    expect((await party.userinfo(accessToken)).body).toEqual({ sub: user.sub });
    for (const token of [accessToken, refreshToken])
      expect(await introspect(party, token)).toMatchObject({ active: true, scope: 'openid' });
    expect(await introspect(party, accessToken)).not.toHaveProperty('roles');
    const narrowed = await party.tokensOf(await party.refresh(refreshToken));
    expect(narrowed.response.body.scope).toBe('openid');
    expect(narrowed.claims).not.toHaveProperty('email');
    expect(decodeJwt(narrowed.accessToken)).not.toHaveProperty('roles');
    await change(party, { scopes: null });
    expect((await party.userinfo(accessToken)).body).toMatchObject({ email: user.email, roles: ['ROLE_SALES'] });
    expect((await party.tokensOf(await party.refresh(refreshToken))).response.body.scope).toBe('openid email roles');
  });

  it('without openid has no ID token and no userinfo', async () => {
    const party = await service.party({ firstParty: true });
    const { accessToken, refreshToken } = await party.logIn(browser, user, { scope: 'openid email' });
    await change(party, { scopes: ['email'] });
    expect((await party.userinfo(accessToken)).status).toBe(403);
    const refreshed = await party.refresh(refreshToken);
    expect([refreshed.status, refreshed.body.scope, 'id_token' in refreshed.body]).toEqual([200, 'email', false]);
  });

  it('gets for an open code what it may have then', async () => {
    const party = await service.party({ firstParty: true });
    const authorized = await party.signIn(browser, user, { scope: 'openid email' });
    await change(party, { scopes: ['openid'] });
    const { claims, response } = await party.tokensOf(await party.redeem(authorized));
    expect([response.body.scope, 'email' in claims]).toEqual(['openid', false]);
  });

  it('without an audience has no token for it, in a public client too', async () => {
    const party = await service.party({ type: 'SPA', firstParty: true, resources: [OURS, RESOURCE] });
    const other = await service.party({ resources: [RESOURCE] });
    const [ours, theirs] = [
      await party.logIn(browser, user, { resource: OURS }),
      await party.logIn(browser, user, { resource: RESOURCE }),
    ];
    const me = async () =>
      (await service.send('GET', `${ISSUER}${API}/auth/me`, { headers: bearer(ours.accessToken) })).status;
    expect([await me(), (await introspect(other, theirs.accessToken)).active]).toEqual([200, true]);
    await change(party, { resources: [] });
    expect([await me(), await introspect(other, theirs.accessToken)]).toEqual([401, { active: false }]);
    for (const { refreshToken } of [ours, theirs])
      expectTokenError(await party.refresh(refreshToken), 'invalid_target');
    await change(party, { resources: [OURS] });
    expect([await me(), await introspect(other, theirs.accessToken)]).toEqual([200, { active: false }]);
    await party.tokensOf(await party.refresh(ours.refreshToken));
  });

  it.each<[what: string, end: (party: ServiceParty) => Promise<unknown>]>([
    ['is disabled', (party) => change(party, { disabled: true })],
    ['loses the audience of this service', (party) => change(party, { resources: [] })],
    [
      'requires a permission that the user lacks',
      (party) => change(party, { requiredPermission: 'MANAGE_SIGNING_KEYS' }),
    ],
    ['is deleted', async ({ client }) => (await second.root()).delete(`/applications/${client.applicationId}`)],
  ])('that %s has no open stream left', async (_what, end) => {
    const party = await service.party({ firstParty: true, resources: [OURS] });
    const admin = await service.user({ roles: ['ADMIN'] });
    const own = await signedIn(service, admin);
    const tokens = await Promise.all(
      ['openid', 'openid offline_access'].map((scope) => party.logIn(own, admin, { resource: OURS, scope })),
    );
    const url = `${service.deployment.url}${API}/audit-records/stream`;
    const streams = await Promise.all(tokens.map(({ accessToken }) => openEvents(url, bearer(accessToken))));
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await end(party);
    await Promise.all(streams.map(({ ended }) => ended));
  });
});
