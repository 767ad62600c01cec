// Refresh tokens of confidential and of public clients (RFC 6749 section 6, RFC 9700 section 4.14).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../../support/argon2.ts';
import { openBrowser } from '../../../support/oauth/browser.ts';
import { createParty, expectTokenError, someoneAt, type Parameters, type Party } from '../../../support/oauth/party.ts';
import { PROVIDERS } from '../../../support/oauth/providers.ts';
import type { Provider } from '../../../support/oauth/provider.ts';

rememberPasswords();

describe.each(PROVIDERS)('refresh tokens: $name', ({ open }) => {
  let provider: Provider;
  let web: Party;
  let spa: Party;
  beforeAll(async () => {
    provider = await open();
    web = await createParty(provider);
    spa = await createParty(provider, { type: 'SPA' });
  });
  afterAll(() => provider?.close());

  const begin = async (party: Party, more: Parameters = {}) => (await someoneAt(party, more)).tokens;
  const next = async (party: Party, refreshToken: string, more: Parameters = {}) =>
    party.tokensOf(await party.refresh(refreshToken, more));

  it('come with every code and every refresh (angular-auth-oidc-client 1095)', async () => {
    for (const party of [web, spa]) {
      const first = await begin(party);
      expect(first.refreshToken).toEqual(expect.any(String));
      expect((await next(party, first.refreshToken)).refreshToken).toEqual(expect.any(String));
    }
  });

  it('of a confidential client do not rotate', async () => {
    const { refreshToken } = await begin(web);
    for (let uses = 0; uses < 3; uses += 1) expect((await next(web, refreshToken)).refreshToken).toBe(refreshToken);
  });

  it('of a public client rotate', async () => {
    let { refreshToken } = await begin(spa);
    const seen = new Set([refreshToken]);
    for (let uses = 0; uses < 3; uses += 1) {
      ({ refreshToken } = await next(spa, refreshToken));
      seen.add(refreshToken);
    }
    expect(seen.size).toBe(4);
  });

  it('of a public client that are used again much later end the grant', async () => {
    const first = await begin(spa);
    const second = await next(spa, first.refreshToken);
    const third = await next(spa, second.refreshToken);
    provider.advance(60_000);
    expectTokenError(await spa.refresh(first.refreshToken), 'invalid_grant');
    expectTokenError(await spa.refresh(third.refreshToken), 'invalid_grant');
    for (const { accessToken } of [first, second, third]) expect((await spa.userinfo(accessToken)).status).toBe(401);
  });

  it('are good for their client alone', async () => {
    const { refreshToken } = await begin(web);
    expectTokenError(await spa.refresh(refreshToken), 'invalid_grant');
    await next(web, refreshToken);
  });

  it('get an ID token like the first one, without nonce', async () => {
    const first = await begin(web, { scope: 'openid email', max_age: '10000' });
    provider.advance(5_000);
    const { claims } = await next(web, first.refreshToken);
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'sid', 'email'])
      expect([name, claims[name]]).toEqual([name, first.claims[name]]);
    expect(claims.iat).toBe(provider.now());
    expect(claims['azp']).toBeUndefined();
  });

  it('can narrow the scope for once', async () => {
    const { refreshToken } = await begin(web, { scope: 'openid profile email' });
    const narrow = await next(web, refreshToken, { scope: 'openid email' });
    expect(narrow.response.body.scope.split(' ').toSorted()).toEqual(['email', 'openid']);
    expect((await web.userinfo(narrow.accessToken)).body).not.toHaveProperty('name');
    const whole = await next(web, refreshToken);
    expect((await web.userinfo(whole.accessToken)).body).toHaveProperty('name');
  });

  it('cannot widen the scope', async () => {
    const { refreshToken } = await begin(web, { scope: 'openid' });
    expectTokenError(await web.refresh(refreshToken, { scope: 'openid email' }), 'invalid_scope');
    await next(web, refreshToken);
  });

  it('missing is invalid_request', async () => {
    expectTokenError(await web.token({ grant_type: 'refresh_token' }), 'invalid_request');
  });

  it('that somebody changed are invalid_grant', async () => {
    const { refreshToken } = await begin(spa);
    for (const forged of [`${refreshToken}x`, refreshToken.slice(1), refreshToken.toUpperCase(), ' ', '\0', 'ä'])
      expectTokenError(await spa.refresh(forged), 'invalid_grant');
    await next(spa, refreshToken);
  });

  it('end by revocation, which never fails', async () => {
    const browser = openBrowser(provider);
    const user = await provider.user();
    const { refreshToken, accessToken } = await web.logIn(browser, user);
    const revoke = (token: string) => web.token({ token }, undefined, provider.metadata['revocation_endpoint']);
    expect((await revoke(refreshToken)).status).toBe(200);
    expect((await revoke(refreshToken)).status).toBe(200);
    expectTokenError(await web.refresh(refreshToken), 'invalid_grant');
    expect((await web.userinfo(accessToken)).status).toBe(401);
    expect((await web.authorize(browser, { prompt: 'login' })).kind).toBe('page');
  });

  it('are introspected by their client', async () => {
    const { refreshToken, claims } = await begin(web);
    const introspect = (token: string) => web.token({ token }, undefined, provider.metadata['introspection_endpoint']);
    expect((await introspect(refreshToken)).body).toMatchObject({
      active: true,
      client_id: web.client.id,
      sub: claims.sub,
      scope: 'openid',
    });
    expect((await introspect('unknown')).body).toEqual({ active: false });
  });
});
