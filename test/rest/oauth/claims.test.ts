// The claims of ID tokens and userinfo, by scope and by the settings of the application.
import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { ISSUER, openedService, signedIn, type ServiceParty, type ServiceUser } from '../../support/oauth/service.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { setUpTotp } from '../../support/totp.ts';
import { callerOf } from '../../support/oauth/service.ts';
import { ROUNDS } from '../../support/rounds.ts';

rememberPasswords();

/** In the gate on SQLite alone: no statement of its own decides this. */
const HERE = ROUNDS === 1 ? DIAGONAL.slice(0, 1) : DIAGONAL;

const PROTOCOL = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'amr', 'acr', 'at_hash', 'nonce', 'sid'];
const ALL = 'openid profile email roles groups tenant';

describe.each(HERE)('claims, $engine over $transport', (kind) => {
  const service = openedService(kind);
  let party: ServiceParty;
  let user: ServiceUser;
  let browser: Browser;
  beforeAll(async () => {
    party = await service.party({ firstParty: true });
    user = await service.user({ email: 'alice@acme.test', name: 'Alice', roles: ['SALES', 'FLORIST'] });
    browser = await signedIn(service, user);
  });

  const logIn = async (scope = ALL, by = party) => by.logIn(browser, user, { scope });

  it('an ID token has the claims of the protocol', async () => {
    const { idToken, claims, accessToken, nonce } = await logIn('openid');
    const now = service.now();
    expect(Object.keys(claims).toSorted()).toEqual(PROTOCOL.toSorted());
    expect(claims).toEqual({
      iss: ISSUER,
      sub: user.sub,
      aud: party.client.id,
      exp: now + 600,
      iat: now,
      auth_time: expect.any(Number),
      amr: ['pwd'],
      acr: '1',
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
      nonce,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(decodeProtectedHeader(idToken)).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) });
  });

  it.each<[scope: string, claims: (user: ServiceUser) => Record<string, unknown>]>([
    ['openid', () => ({})],
    [
      'openid profile',
      ({ username }) => ({
        name: 'Alice',
        preferred_username: username,
        updated_at: expect.any(Number),
        locale: 'en',
      }),
    ],
    ['openid email', () => ({ email: 'alice@acme.test', email_verified: false })],
    ['openid roles', () => ({ roles: ['ROLE_SALES', 'ROLE_FLORIST'] })],
    ['openid groups', () => ({ groups: ['SALES', 'FLORIST'] })],
    ['openid tenant', () => ({ tenantId: 'acme', tenantName: 'acme' })],
  ])('%s', async (scope, expected) => {
    const { accessToken, claims } = await logIn(scope);
    const info = await party.userinfo(accessToken);
    expect(info.body).toEqual({ sub: user.sub, ...expected(user) });
    const own = Object.entries(claims).filter(([name]) => !PROTOCOL.includes(name));
    expect(Object.fromEntries(own)).toEqual(expected(user));
  });

  it('an application without idTokenClaims has them in userinfo alone (authelia 5776)', async () => {
    const lean = await service.party({ firstParty: true, idTokenClaims: false });
    const { claims, accessToken } = await logIn(ALL, lean);
    expect(Object.keys(claims).toSorted()).toEqual(PROTOCOL.toSorted());
    expect((await lean.userinfo(accessToken)).body).toMatchObject({ name: 'Alice', email: 'alice@acme.test' });
  });

  it('preferred_username can be without its domain (headscale 2333)', async () => {
    const local = await service.party({ firstParty: true, usernameForm: 'LOCAL_PART' });
    const { claims } = await logIn('openid profile', local);
    expect(claims['preferred_username']).toBe(user.username.split('@')[0]);
  });

  it('an account without an address has neither claim (oauth2-proxy 1712)', async () => {
    const { claims, accessToken } = await party.logIn(openBrowser(service), await service.user({ email: undefined }), {
      scope: 'openid email',
    });
    expect(claims).not.toHaveProperty('email');
    expect((await party.userinfo(accessToken)).body).not.toHaveProperty('email_verified');
  });

  it('an account without roles has empty lists (mealie PR 6054)', async () => {
    const without = await service.user({ roles: [] });
    const { claims, accessToken } = await party.logIn(openBrowser(service), without, { scope: 'openid roles groups' });
    expect(claims).toMatchObject({ roles: [], groups: [] });
    expect((await party.userinfo(accessToken)).body).toMatchObject({ roles: [], groups: [] });
    expect(decodeJwt(accessToken)).toMatchObject({ roles: [] });
    const root = await service.root();
    expect((await root.get(`/users/${without.sub}`)).body).toMatchObject({ roles: [] });
    expect((await root.get('/roles')).body.map(({ name }: { name: string }) => name)).not.toContain('');
  });

  it('ids and secrets need no encoding in Basic (openid-client 134, AppAuth-Android 337)', async () => {
    const { client } = await service.party();
    expect([client.id, client.secret]).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/^[\w.~-]+$/)));
  });

  it('a subject is the same for all applications', async () => {
    const other = await service.party({ firstParty: true });
    expect((await logIn('openid', other)).claims.sub).toBe((await logIn('openid')).claims.sub);
  });

  it('the scopes of the application limit those of the request', async () => {
    const narrow = await service.party({ firstParty: true, scopes: ['openid', 'email'] });
    const { response, accessToken } = await logIn(ALL, narrow);
    expect(response.body.scope).toBe('openid email');
    expect((await narrow.userinfo(accessToken)).body).not.toHaveProperty('name');
  });

  it('without openid there is no ID token and no userinfo: 403 insufficient_scope', async () => {
    const { response, accessToken } = await logIn('profile');
    expect(response.body).toEqual({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: expect.any(String),
      scope: 'profile',
    });
    const refused = await party.userinfo(accessToken);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope"'),
    ]);
  });

  it.each([[undefined], ['']])('no scope ("%s") is no error', async (scope) => {
    const { response } = await party.logIn(browser, user, { scope });
    expect(response.body).not.toHaveProperty('id_token');
  });

  it('the claims are as they are when the tokens are made', async () => {
    const other = await service.user({ email: 'bob@acme.test', roles: ['SALES'] });
    const first = await party.logIn(openBrowser(service), other, { scope: 'openid roles profile' });
    const admin = await service.admin();
    expect((await admin.patch(`/users/${other.sub}`, { name: 'Robert' })).status).toBe(200);
    expect((await party.userinfo(first.accessToken)).body.name).toBe('Robert');
    const { claims } = await party.tokensOf(await party.refresh(first.refreshToken));
    expect(claims['name']).toBe('Robert');
  });

  it('a second factor shows in acr and amr, and at refreshes those of the code', async () => {
    const holder = await service.user();
    const by = await signedIn(service, holder);
    const before = await party.logIn(by, holder);
    service.advance(1_000);
    await setUpTotp(callerOf(service, by), service.deployment.clock);
    const { claims, refreshToken } = await party.logIn(by, holder);
    expect(claims).toMatchObject({ acr: 'mfa', amr: expect.arrayContaining(['pwd', 'otp', 'mfa']) });
    service.advance(60_000);
    const later = await party.tokensOf(await party.refresh(refreshToken));
    for (const name of ['acr', 'amr', 'auth_time', 'sid']) expect(later.claims[name]).toEqual(claims[name]);
    expect(later.claims).not.toHaveProperty('nonce');
    const old = await party.tokensOf(await party.refresh(before.refreshToken));
    expect([old.claims['acr'], old.claims['auth_time']]).toEqual(['1', before.claims['auth_time']]);
  });

  it('ES256 is used where the application asks for it', async () => {
    const es256 = await service.party({ firstParty: true, idTokenAlgorithm: 'ES256' });
    const { idToken } = await logIn('openid', es256);
    expect(decodeProtectedHeader(idToken).alg).toBe('ES256');
  });
});

describe.each(HERE)('acr, $engine over $transport', (kind) => {
  const service = openedService(kind);

  it('acr_values asks for a factor that the account has, else acr tells the truth', async () => {
    const party = await service.party({ firstParty: true });
    const without = await party.logIn(openBrowser(service), await service.user(), { acr_values: 'phr mfa' });
    expect(without.claims['acr']).toBe('1');
  });

  it('acr_values is met by a session with the factor', async () => {
    const party = await service.party({ firstParty: true });
    const user = await service.user();
    const browser = await signedIn(service, user);
    await setUpTotp(callerOf(service, browser), service.deployment.clock);
    const { claims } = await party.logIn(browser, user, { acr_values: 'unknown mfa', prompt: 'none' });
    expect(claims['acr']).toBe('mfa');
  });
});
