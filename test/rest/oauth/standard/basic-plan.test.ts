// The subjects of the modules of the OpenID Foundation's "basic" plan, for this service and for a provider that passes that plan.
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer } from '../../../support/rest-client.ts';
import { rememberPasswords } from '../../../support/argon2.ts';
import { formOf, openBrowser } from '../../../support/oauth/browser.ts';
import {
  authorizedBy,
  createParty,
  expectError,
  expectErrorPage,
  expectTokenError,
  random,
  someoneAt,
  WITHOUT_PKCE,
  type Parameters,
  type Party,
} from '../../../support/oauth/party.ts';
import { PROVIDERS } from '../../../support/oauth/providers.ts';
import type { Browser, Provider, User } from '../../../support/oauth/provider.ts';

rememberPasswords();

describe.each(PROVIDERS)('basic plan: $name', ({ open }) => {
  let provider: Provider;
  let party: Party;
  let plain: Party;
  /** Has a session, and the consent for both clients. */
  let known: { readonly user: User; readonly browser: Browser };
  beforeAll(async () => {
    provider = await open();
    party = await createParty(provider);
    plain = await createParty(provider, { requirePkce: false, authentication: 'client_secret_post' });
    known = await someoneAt(party);
    await plain.logIn(known.browser, known.user);
  });
  afterAll(() => provider?.close());

  /** Gets tokens in the session of `known`, without a page. */
  async function silently(more: Parameters = {}, by: Party = party) {
    const { request, ...outcome } = await by.authorize(known.browser, more);
    const authorized = authorizedBy(outcome, request);
    return { ...authorized, ...(await by.tokensOf(await by.redeem(authorized), request.nonce)) };
  }

  it('response_type=code returns a code, the state and no token', async () => {
    const { callback, state } = await party.signIn(openBrowser(provider), await provider.user());
    expect(callback.get('state')).toBe(state);
    expect([...callback.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
    expect(callback.get('iss')).toBe(provider.issuer);
  });

  it('response_type missing is an error of the client', async () => {
    const { request, ...outcome } = await party.authorize(known.browser, { response_type: undefined });
    expectError(outcome, 'invalid_request', request.state);
  });

  it('a request without state gets none', async () => {
    const { callback } = await party.signIn(known.browser, known.user, { state: undefined });
    expect(callback.has('state')).toBe(false);
  });

  it('a confidential client needs neither PKCE nor nonce', async () => {
    const { claims } = await plain.logIn(known.browser, known.user, { ...WITHOUT_PKCE, nonce: undefined });
    expect(claims).not.toHaveProperty('nonce');
    expect(claims.sub).toBe(known.user.sub);
  });

  it('the ID token has issuer, audience, subject, nonce and times, and is signed with RS256', async () => {
    const { idToken, claims, nonce } = await silently();
    const now = provider.now();
    expect(claims).toMatchObject({ iss: provider.issuer, aud: party.client.id, sub: known.user.sub, nonce, iat: now });
    expect(claims.exp).toBeGreaterThan(now);
    expect(decodeProtectedHeader(idToken)).toMatchObject({ alg: 'RS256', kid: expect.any(String) });
  });

  it.each(['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const)(
    'a client authenticates by %s',
    async (authentication) => {
      const client = await createParty(provider, { authentication });
      const { claims, response } = await client.logIn(known.browser, known.user);
      expect(claims.sub).toBe(known.user.sub);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    },
  );

  it('a public client authenticates by its id alone', async () => {
    const spa = await createParty(provider, { type: 'SPA' });
    expect((await spa.logIn(known.browser, known.user)).claims.sub).toBe(known.user.sub);
  });

  it('an authorization request by POST', async () => {
    const user = await provider.user();
    const browser = openBrowser(provider);
    const { request, ...outcome } = await party.authorize(browser, {}, 'POST');
    const authorized = authorizedBy(await browser.finish(outcome, user), request);
    expect((await party.tokensOf(await party.redeem(authorized), request.nonce)).claims.sub).toBe(user.sub);
  });

  describe('userinfo', () => {
    const pathOf = () => provider.metadata['userinfo_endpoint'] as string;

    it('by GET, by POST with a header, by POST with a form', async () => {
      const { accessToken } = await silently();
      const form = formOf(new URLSearchParams({ access_token: accessToken }));
      for (const response of [
        await provider.send('GET', pathOf(), { headers: bearer(accessToken) }),
        await provider.send('POST', pathOf(), { headers: bearer(accessToken) }),
        await provider.send('POST', pathOf(), form),
      ]) {
        expect([response.status, response.body]).toEqual([200, { sub: known.user.sub }]);
        expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      }
    });

    it('returns 401 without a token', async () => {
      const response = await party.userinfo();
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    });
  });

  it.each<[scope: string, claims: string[]]>([
    ['profile', ['name', 'preferred_username']],
    ['email', ['email', 'email_verified']],
    ['address', []],
    ['phone', []],
    ['profile email address phone', ['name', 'email', 'email_verified']],
  ])('the scope %s is accepted', async (scope, names) => {
    const { accessToken, claims } = await party.logIn(known.browser, known.user, { scope: `openid ${scope}` });
    const { status, body } = await party.userinfo(accessToken);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['sub', ...names]));
    expect(body).not.toHaveProperty('phone_number');
    expect(claims).toMatchObject(Object.fromEntries(names.map((name) => [name, body[name]])));
  });

  it('display=page and display=popup change nothing', async () => {
    for (const display of ['page', 'popup']) expect((await silently({ display })).claims.sub).toBe(known.user.sub);
  });

  describe('prompt', () => {
    it('none without a session is login_required', async () => {
      const { request, ...outcome } = await party.authorize(openBrowser(provider), { prompt: 'none' });
      expectError(outcome, 'login_required', request.state);
    });

    it('none with a session returns a code without a page', async () => {
      expect((await silently({ prompt: 'none' })).claims.sub).toBe(known.user.sub);
    });

    it('none without consent is consent_required', async () => {
      const other = await createParty(provider);
      const { request, ...outcome } = await other.authorize(known.browser, { prompt: 'none' });
      expectError(outcome, 'consent_required', request.state);
    });

    it('login authenticates the user again', async () => {
      const { user, browser, tokens } = await someoneAt(party, { max_age: '10000' });
      provider.advance(5_000);
      const { request, ...outcome } = await party.authorize(browser, { prompt: 'login', max_age: '10000' });
      expect(outcome.kind).toBe('page');
      const authorized = authorizedBy(await browser.finish(outcome, user), request);
      const { claims } = await party.tokensOf(await party.redeem(authorized), request.nonce);
      expect(claims['auth_time']).toBe((tokens.claims['auth_time'] as number) + 5);
      expect(claims.sub).toBe(user.sub);
    });
  });

  describe('max_age', () => {
    it('1 authenticates the user again after more than a second', async () => {
      const { user, browser } = await someoneAt(party);
      provider.advance(3_000);
      const { request, ...outcome } = await party.authorize(browser, { max_age: '1' });
      expect(outcome.kind).toBe('page');
      const authorized = authorizedBy(await browser.finish(outcome, user), request);
      const { claims } = await party.tokensOf(await party.redeem(authorized), request.nonce);
      expect(claims['auth_time']).toBe(provider.now());
    });

    it('10000 authenticates nobody again, and names the time of the login', async () => {
      const { browser, tokens } = await someoneAt(party, { max_age: '10000' });
      provider.advance(3_000);
      const { request, ...outcome } = await party.authorize(browser, { max_age: '10000', prompt: 'none' });
      const response = await party.redeem(authorizedBy(outcome, request));
      const { claims } = await party.tokensOf(response, request.nonce);
      expect(claims['auth_time']).toBe(tokens.claims['auth_time']);
    });
  });

  describe('id_token_hint', () => {
    it('of the session, with prompt=none, returns a code', async () => {
      const { idToken } = await silently();
      expect((await silently({ id_token_hint: idToken, prompt: 'none' })).claims.sub).toBe(known.user.sub);
    });

    it('of another user, with prompt=none, is login_required', async () => {
      const other = await someoneAt(party);
      const more = { id_token_hint: other.tokens.idToken, prompt: 'none' };
      const { request, ...outcome } = await party.authorize(known.browser, more);
      expectError(outcome, 'login_required', request.state);
    });

    it('that does not verify is an error', async () => {
      const { request, ...outcome } = await party.authorize(known.browser, { id_token_hint: 'a.b.c' });
      expectError(outcome, 'invalid_request', request.state);
    });
  });

  it.each<[what: string, parameters: Parameters]>([
    ['login_hint', { login_hint: 'somebody@example.com' }],
    ['ui_locales', { ui_locales: 'se de-DE x-klingon' }],
    ['claims_locales', { claims_locales: 'se' }],
    ['acr_values', { acr_values: '1 2 urn:unknown' }],
    ['unknown parameters', { extra: 'foobar', 'üñ[]': '☃' }],
    ['an unknown scope', { scope: 'openid unknown:scope' }],
  ])('%s is accepted', async (_, more) => {
    expect((await silently(more)).claims.sub).toBe(known.user.sub);
  });

  it('a code that is used again is invalid_grant', async () => {
    const authorized = await party.logIn(known.browser, known.user);
    expectTokenError(await party.redeem(authorized), 'invalid_grant');
  });

  it('a code that is used again after 30 seconds ends the access token, too', async () => {
    const authorized = await party.logIn(known.browser, known.user);
    expect((await party.userinfo(authorized.accessToken)).status).toBe(200);
    provider.advance(30_000);
    expectTokenError(await party.redeem(authorized), 'invalid_grant');
    const { status, headers } = await party.userinfo(authorized.accessToken);
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });

  it('an unregistered redirect URI shows an error page', async () => {
    const { request: _, ...outcome } = await party.authorize(known.browser, {
      redirect_uri: 'https://app.example.com/other',
    });
    expectErrorPage(outcome);
  });

  it.each([
    ['request', 'request_not_supported', 'eyJhbGciOiJub25lIn0.e30.'],
    ['request_uri', 'request_uri_not_supported', 'https://app.example.com/request.jwt'],
  ])('the parameter %s is refused with %s', async (name, error, value) => {
    const { request, ...outcome } = await party.authorize(known.browser, { [name]: value });
    expectError(outcome, error, request.state);
  });

  it('a refresh token gets new tokens of the same user, for that client alone', async () => {
    const first = await party.logIn(known.browser, known.user);
    provider.advance(2_000);
    const refreshed = await party.tokensOf(await party.refresh(first.refreshToken));
    expect(refreshed.accessToken).not.toBe(first.accessToken);
    expect(refreshed.refreshToken).toEqual(expect.any(String));
    expect(refreshed.claims).toMatchObject({ iss: provider.issuer, aud: party.client.id, sub: known.user.sub });
    expect(refreshed.claims.iat).toBe(provider.now());
    expect((await party.userinfo(refreshed.accessToken)).body).toEqual({ sub: known.user.sub });
    expectTokenError(await plain.refresh(refreshed.refreshToken), 'invalid_grant');
  });

  it('an unknown refresh token is invalid_grant', async () => {
    expectTokenError(await party.refresh(random()), 'invalid_grant');
  });
});
