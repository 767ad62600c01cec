// The modules of the OpenID Foundation's "basic" plan in its order, for this service and for a provider that passes that plan. A title begins
// with the name of its module, without `oidcc-`. The module of the "config" plan is in config-plan.test.ts.
import { decodeProtectedHeader, UnsecuredJWT, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer } from '../../../support/rest-client.ts';
import { rememberPasswords } from '../../../support/argon2.ts';
import { formOf, openBrowser } from '../../../support/oauth/browser.ts';
import {
  authorizedBy,
  CALLBACK,
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
import type { Authentication, Browser, Provider, User } from '../../../support/oauth/provider.ts';

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

  it('server: response_type=code returns a code, the state, the issuer and no token', async () => {
    const { callback, state } = await party.signIn(openBrowser(provider), await provider.user());
    expect(callback.get('state')).toBe(state);
    expect([...callback.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
    expect(callback.get('iss')).toBe(provider.issuer);
  });

  it('server: a request without state gets none', async () => {
    const { callback } = await party.signIn(known.browser, known.user, { state: undefined });
    expect(callback.has('state')).toBe(false);
  });

  it('server: the ID token has issuer, audience, subject, nonce and times', async () => {
    const { claims, nonce } = await silently();
    const now = provider.now();
    expect(claims).toMatchObject({ iss: provider.issuer, aud: party.client.id, sub: known.user.sub, nonce, iat: now });
    expect(claims.exp).toBeGreaterThan(now);
  });

  it.each(['client_secret_basic', 'private_key_jwt'] as const)(
    'server: a client authenticates by %s',
    (authentication) => expectAuthentication(authentication),
  );

  it('server: a public client authenticates by its id alone', async () => {
    const spa = await createParty(provider, { type: 'SPA' });
    expect((await spa.logIn(known.browser, known.user)).claims.sub).toBe(known.user.sub);
  });

  it('response-type-missing: is an error of the client', async () => {
    const { request, ...outcome } = await party.authorize(known.browser, { response_type: undefined });
    expectError(outcome, 'invalid_request', request.state);
  });

  it('idtoken-signature: is RS256 by a key of the key set; idtoken-unsigned: is not supported', async () => {
    // The signature was checked.
    expect(decodeProtectedHeader((await silently()).idToken)).toMatchObject({ alg: 'RS256', kid: expect.any(String) });
    expect(provider.metadata['id_token_signing_alg_values_supported']).not.toContain('none');
  });

  it.each(['userinfo-get', 'userinfo-post-header', 'userinfo-post-body'] as const)(
    '%s: returns the subject as JSON',
    async (name) => {
      const { accessToken } = await silently();
      const form = formOf(new URLSearchParams({ access_token: accessToken }));
      const response = await provider.send(
        name === 'userinfo-get' ? 'GET' : 'POST',
        provider.metadata['userinfo_endpoint'],
        {
          ...(name === 'userinfo-post-body' ? form : { headers: bearer(accessToken) }),
        },
      );
      expect([response.status, response.body]).toEqual([200, { sub: known.user.sub }]);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    },
  );

  it('userinfo: returns 401 without a token', async () => {
    const response = await party.userinfo();
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('ensure-request-without-nonce-succeeds-for-code-flow: nor does a confidential client need PKCE', async () => {
    const { claims } = await plain.logIn(known.browser, known.user, { ...WITHOUT_PKCE, nonce: undefined });
    expect(claims).not.toHaveProperty('nonce');
    expect(claims.sub).toBe(known.user.sub);
  });

  it.each<[module: string, scope: string, claims: string[]]>([
    ['scope-profile', 'openid profile', ['name', 'preferred_username']],
    ['scope-email', 'openid email', ['email', 'email_verified']],
    ['scope-address', 'openid address', []],
    ['scope-phone', 'openid phone', []],
    ['scope-all', 'openid profile email address phone', ['name', 'email', 'email_verified']],
    ['ensure-other-scope-order-succeeds', 'email openid', ['email', 'email_verified']],
  ])('%s: %s', async (_, scope, names) => {
    const { accessToken, claims } = await party.logIn(known.browser, known.user, { scope });
    const { status, body } = await party.userinfo(accessToken);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['sub', ...names]));
    expect(body).not.toHaveProperty('phone_number');
    expect(claims).toMatchObject(Object.fromEntries(names.map((name) => [name, body[name]])));
  });

  it.each(['page', 'popup'])('display-%s: changes nothing', async (display) => {
    expect((await silently({ display })).claims.sub).toBe(known.user.sub);
  });

  it('prompt-login: authenticates the user again', async () => {
    const { user, browser, tokens } = await someoneAt(party, { max_age: '10000' });
    provider.advance(5_000);
    const { request, ...outcome } = await party.authorize(browser, { prompt: 'login', max_age: '10000' });
    expect(outcome.kind).toBe('page');
    const authorized = authorizedBy(await browser.finish(outcome, user), request);
    const { claims } = await party.tokensOf(await party.redeem(authorized), request.nonce);
    expect(claims['auth_time']).toBe((tokens.claims['auth_time'] as number) + 5);
    expect(claims.sub).toBe(user.sub);
  });

  it('prompt-none-not-logged-in: is login_required', async () => {
    const { request, ...outcome } = await party.authorize(openBrowser(provider), { prompt: 'none' });
    expectError(outcome, 'login_required', request.state);
  });

  it('prompt-none-not-logged-in: without consent it is consent_required', async () => {
    const other = await createParty(provider);
    const { request, ...outcome } = await other.authorize(known.browser, { prompt: 'none' });
    expectError(outcome, 'consent_required', request.state);
  });

  it('prompt-none-logged-in: returns a code without a page, with the subject and time of the login', async () => {
    const { browser, tokens } = await someoneAt(party, { max_age: '10000' });
    provider.advance(3_000);
    const { request, ...outcome } = await party.authorize(browser, { prompt: 'none', max_age: '10000' });
    const { claims } = await party.tokensOf(await party.redeem(authorizedBy(outcome, request)), request.nonce);
    for (const name of ['sub', 'auth_time']) expect([name, claims[name]]).toEqual([name, tokens.claims[name]]);
  });

  it('max-age-1: authenticates the user again after more than a second', async () => {
    const { user, browser } = await someoneAt(party);
    provider.advance(3_000);
    const { request, ...outcome } = await party.authorize(browser, { max_age: '1' });
    expect(outcome.kind).toBe('page');
    const authorized = authorizedBy(await browser.finish(outcome, user), request);
    const { claims } = await party.tokensOf(await party.redeem(authorized), request.nonce);
    expect(claims['auth_time']).toBe(provider.now());
  });

  it('max-age-10000: authenticates nobody again, and names the time of the login', async () => {
    const { browser, tokens } = await someoneAt(party, { max_age: '10000' });
    provider.advance(3_000);
    const { request, ...outcome } = await party.authorize(browser, { max_age: '10000' });
    const { claims } = await party.tokensOf(await party.redeem(authorizedBy(outcome, request)), request.nonce);
    expect(claims['auth_time']).toBe(tokens.claims['auth_time']);
  });

  it('id-token-hint: of the session, with prompt=none, returns a code', async () => {
    const { idToken } = await silently();
    expect((await silently({ id_token_hint: idToken, prompt: 'none' })).claims.sub).toBe(known.user.sub);
  });

  it('id-token-hint: of another user, with prompt=none, is login_required', async () => {
    const other = await someoneAt(party);
    const more = { id_token_hint: other.tokens.idToken, prompt: 'none' };
    const { request, ...outcome } = await party.authorize(known.browser, more);
    expectError(outcome, 'login_required', request.state);
  });

  it('id-token-hint: that does not verify is an error', async () => {
    const { request, ...outcome } = await party.authorize(known.browser, { id_token_hint: 'a.b.c' });
    expectError(outcome, 'invalid_request', request.state);
  });

  it.each<[module: string, parameters: Parameters]>([
    ['ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar', 'üñ[]': '☃' }],
    ['ensure-request-with-unknown-parameter-succeeds', { scope: 'openid unknown:scope' }],
    ['login-hint', { login_hint: 'somebody@example.com' }],
    ['ui-locales', { ui_locales: 'se de-DE x-klingon' }],
    ['claims-locales', { claims_locales: 'se' }],
    ['ensure-request-with-acr-values-succeeds', { acr_values: '1 2 urn:unknown' }],
    ['claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
    ['ensure-request-with-valid-pkce-succeeds', {}],
  ])('%s: %j', async (_, more) => {
    expect((await silently(more)).claims.sub).toBe(known.user.sub);
  });

  it('codereuse: is invalid_grant', async () => {
    const authorized = await party.logIn(known.browser, known.user);
    expectTokenError(await party.redeem(authorized), 'invalid_grant');
  });

  it('codereuse-30seconds: ends the access token, too', async () => {
    const authorized = await party.logIn(known.browser, known.user);
    expect((await party.userinfo(authorized.accessToken)).status).toBe(200);
    provider.advance(30_000);
    expectTokenError(await party.redeem(authorized), 'invalid_grant');
    const { status, headers } = await party.userinfo(authorized.accessToken);
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });

  it('ensure-registered-redirect-uri: shows an error page for another one', async () => {
    const more = { redirect_uri: 'https://app.example.com/other' };
    const { request: _, ...outcome } = await party.authorize(known.browser, more);
    expectErrorPage(outcome);
  });

  it('ensure-post-request-succeeds: an authorization request by POST', async () => {
    const user = await provider.user();
    const browser = openBrowser(provider);
    const { request, ...outcome } = await party.authorize(browser, {}, 'POST');
    const authorized = authorizedBy(await browser.finish(outcome, user), request);
    expect((await party.tokensOf(await party.redeem(authorized), request.nonce)).claims.sub).toBe(user.sub);
  });

  it('server-client-secret-post: a client authenticates', () => expectAuthentication('client_secret_post'));

  it.each([
    ['request-uri-unsigned', { request_uri: 'https://app.example.com/request.jwt' }, 'request_uri_not_supported'],
    [
      'unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
      { request: unsigned({}) },
      'request_not_supported',
    ],
    [
      'ensure-request-object-with-redirect-uri',
      { request: unsigned({ redirect_uri: CALLBACK }) },
      'request_not_supported',
    ],
  ])('%s: %j is %s', async (_, more, error) => {
    const { request, ...outcome } = await party.authorize(known.browser, more);
    expectError(outcome, error, request.state);
  });

  it('refresh-token: gets new tokens of the same user, for that client alone', async () => {
    const first = await party.logIn(known.browser, known.user);
    provider.advance(2_000);
    const refreshed = await party.tokensOf(await party.refresh(first.refreshToken));
    expect(refreshed.accessToken).not.toBe(first.accessToken);
    expect(refreshed.refreshToken).toEqual(expect.any(String));
    expect(refreshed.claims).toMatchObject({ iss: provider.issuer, aud: party.client.id, sub: known.user.sub });
    expect(refreshed.claims.iat).toBe(provider.now());
    expect((await party.userinfo(refreshed.accessToken)).body).toEqual({ sub: known.user.sub });
    expectTokenError(await plain.refresh(refreshed.refreshToken), 'invalid_grant');
    expectTokenError(await party.refresh(random()), 'invalid_grant');
  });

  async function expectAuthentication(authentication: Authentication): Promise<void> {
    const client = await createParty(provider, { authentication });
    const { claims, response } = await client.logIn(known.browser, known.user);
    expect(claims.sub).toBe(known.user.sub);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
  }
});

/** Returns a request object that is not signed (RFC 9101). */
function unsigned(parameters: JWTPayload): string {
  return new UnsecuredJWT(parameters).encode();
}
