// The command line of the service as an application: it is there from the start, and nobody changes it.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { API, etagOf, type Caller } from '../../support/callers.ts';
import { DIAGONAL, ON_SQLITE } from '../../support/deployment.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { partyOf, type Party } from '../../support/oauth/party.ts';
import { ISSUER, openedService, type Service } from '../../support/oauth/service.ts';
import { problem } from '../../support/problems.ts';
import { bearer } from '../../support/rest-client.ts';
import { newUser } from '../admin/administration.ts';

rememberPasswords();

const NAME = 'authservice-cli';
const OURS = 'my-shop';
const PATH = expect.stringMatching(/^\/api\/v1\//) as unknown as string;
const NEW_PASSWORD = 'A long enough password';
const FIELDS = { name: 'Mine', type: 'SPA', redirectUris: ['https://wiki.example.com/callback'] };
const STALE = expect.objectContaining({
  status: 401,
  body: expect.objectContaining({ errorCode: 'fresh-session-required' }),
});

/** The command line, which listens at a port of its own. */
const commandLine = (service: Service, redirectUri = 'http://127.0.0.1:49152/callback'): Party =>
  partyOf(service, {
    id: NAME,
    type: 'NATIVE',
    authentication: 'none',
    secret: undefined,
    key: undefined,
    redirectUri,
  });

const find = async (by: Caller) =>
  ((await by.get('/applications?perPage=100')).body as Record<string, unknown>[]).find(
    (one) => one['clientId'] === NAME,
  );

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const service = openedService(kind);
  let party: Party;
  let root: Caller;
  beforeAll(async () => {
    party = commandLine(service);
    root = await service.root();
  });

  const send = (method: string, path: string, token: string, body?: object) =>
    service.send(method, `${ISSUER}${API}${path}`, {
      headers: { ...bearer(token), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });

  it('is in all lists, and nobody changes it', async () => {
    const admin = await service.admin();
    for (const by of [root, admin]) {
      const listed = (await find(by))!;
      expect(listed).toMatchObject({
        type: 'NATIVE',
        name: 'Authservice CLI',
        shared: true,
        firstParty: true,
        requirePkce: true,
        redirectUris: ['http://127.0.0.1/callback'],
        resources: [OURS],
        disabled: false,
      });
      const path = `/applications/${String(listed['id'])}`;
      const shown = await by.get(path);
      expect([shown.status, shown.body, etagOf(shown)]).toEqual([200, listed, '"1"']);
      expect((await by.get(`${path}/secrets`)).body).toEqual([]);
      for (const refused of [
        await by.patch(path, { name: 'Mine' }),
        await by.patch(path, { disabled: true }),
        await by.delete(path),
        await by.post(`${path}/secrets`, {}),
        await by.post(`${path}/secrets/${String(listed['id'])}/expire`, {}),
      ])
        expect(refused).toEqual(problem(403, 'permission-denied', PATH));
    }
    expect((await find(root))!['name']).toBe('Authservice CLI');
  });

  it.each([NAME, 'Authservice-CLI'])('keeps its name: %s', async (name) => {
    const taken = problem(409, 'conflict', PATH);
    const fields = { name: 'Mine', type: 'NATIVE', redirectUris: ['http://127.0.0.1/callback'], clientId: name };
    expect(await root.post('/applications', fields)).toEqual(taken);
    const admin = await service.admin();
    expect(await admin.post('/users', newUser({ username: name }))).toEqual(taken);
    expect(await admin.post('/service-accounts', { clientId: name, name: 'Sync', roles: ['SALES'] })).toEqual(taken);
  });

  it.each<[who: string, seed: object]>([
    ['a user', {}],
    ['a SUPER_ADMIN', { tenantId: undefined, roles: ['SUPER_ADMIN'] }],
    ['a user of a tenant that shares no applications', { tenantId: 'closed', roles: ['ADMIN'] }],
  ])('logs in %s, at any port, and acts as the user', async (_, seed) => {
    const user = await service.user(seed);
    if (user.account.tenantId === 'closed')
      expect((await root.patch('/tenants/closed/policy', { sharedApplications: false })).status).toBe(200);
    for (const port of [1024, 65_535]) {
      const own = commandLine(service, `http://127.0.0.1:${port}/callback`);
      const browser = openBrowser(service);
      const { accessToken, refreshToken, claims } = await own.logIn(browser, user, { resource: OURS });
      expect([claims.sub, decodeJwt(accessToken)['client_id'], decodeJwt(accessToken).aud]).toEqual([
        user.sub,
        NAME,
        OURS,
      ]);
      expect((await send('GET', '/auth/me', accessToken)).body).toMatchObject({ id: user.sub });
      await own.tokensOf(await own.refresh(refreshToken));
      const { body: grants } = await send('GET', '/account/grants', accessToken);
      expect(grants).toMatchObject([{ application: { clientId: NAME, name: 'Authservice CLI' } }]);
      expect((await send('DELETE', `/account/grants/${grants[0].id}`, accessToken)).status).toBe(204);
      expect((await send('GET', '/auth/me', accessToken)).status).toBe(401);
    }
  });

  it('never gets a code without a click, and no other redirect URI', async () => {
    const user = await service.user();
    const browser = openBrowser(service);
    await party.logIn(browser, user);
    const silent = await party.authorize(browser, { prompt: 'none' });
    expect(silent.kind === 'callback' && silent.parameters.get('error')).toBe('interaction_required');
    for (const uri of ['http://localhost:49152/callback', 'http://127.0.0.1:49152/other', 'https://127.0.0.1/callback'])
      expect((await party.authorize(browser, { redirect_uri: uri })).kind).toBe('error-page');
  });

  it('may do what needs a fresh session, which other applications may not', async () => {
    const user = await service.user({ roles: ['ADMIN'] });
    const tokens = await party.logIn(openBrowser(service), user, { resource: OURS });
    expect((await send('POST', '/applications', tokens.accessToken, FIELDS)).status).toBe(201);
    service.advance(3_600_000);
    const { accessToken } = await party.tokensOf(await party.refresh(tokens.refreshToken));
    expect(await send('POST', '/applications', accessToken, FIELDS)).toEqual(STALE);
    expect((await send('POST', '/account/confirm', accessToken, { password: PASSWORD })).status).toBe(200);
    expect((await send('POST', '/applications', accessToken, FIELDS)).status).toBe(201);
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await send('PUT', '/account/password', accessToken, body)).status).toBeLessThan(300);
  });

  it('an offline grant is as fresh as the login before it', async () => {
    const user = await service.user({ roles: ['ADMIN'] });
    const more = { resource: OURS, scope: 'openid offline_access' };
    const { refreshToken } = await party.logIn(openBrowser(service), user, more);
    service.advance(3_600_000);
    const { accessToken } = await party.tokensOf(await party.refresh(refreshToken));
    expect(await send('POST', '/applications', accessToken, FIELDS)).toEqual(STALE);
    expect((await send('GET', '/auth/verify', accessToken)).status).toBeLessThan(300);
    expect((await send('GET', '/auth/verify?max-age=600', accessToken)).status).toBe(401);
  });
});

describe.each(ON_SQLITE)('app.oauth.cli=false, $engine over $transport', (kind) => {
  const service = openedService(kind);

  it('there is no such application, and its tokens are refused; its name stays taken', async () => {
    const party = commandLine(service);
    const user = await service.user();
    const { accessToken, refreshToken } = await party.logIn(openBrowser(service), user);
    const { id } = (await find(await service.root()))!;
    const off = await service.beside({ settings: { 'app.public-url': ISSUER, 'app.oauth.cli': 'false' } });
    const root = await off.root();
    expect(await find(root)).toBe(undefined);
    expect((await root.get(`/applications/${String(id)}`)).status).toBe(404);
    const own = commandLine(off);
    expect((await own.authorize(openBrowser(off))).kind).toBe('error-page');
    expect((await own.userinfo(accessToken)).status).toBe(401);
    expect((await own.refresh(refreshToken)).body).toMatchObject({ error: 'invalid_client' });
    expect((await root.post('/users', newUser({ username: NAME, tenantId: 'acme' }))).status).toBe(409);
    await off.close();
    expect((await party.userinfo(accessToken)).status).toBe(200);
  });
});
