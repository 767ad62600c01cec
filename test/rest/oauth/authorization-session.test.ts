// What an authorization request makes of the session of a browser.
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { API, type Caller } from '../../support/callers.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { authorizedBy, expectError, type AuthorizationRequest, type Parameters } from '../../support/oauth/party.ts';
import type { Browser, Outcome } from '../../support/oauth/provider.ts';
import {
  callerOf,
  ISSUER,
  openedService,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';

rememberPasswords();

const COOKIE = 'MY_SHOP_REFRESH';
const HOUR_MS = 3_600_000;

describe.each(DIAGONAL)('authorization by session, $engine over $transport', (kind) => {
  const service = openedService(kind);
  let party: ServiceParty;
  let user: ServiceUser;
  beforeAll(async () => {
    party = await service.party({ firstParty: true });
    user = await service.user();
  });

  const ask = async (browser: Browser, more: Parameters = {}, headers: Record<string, string> = {}) => {
    const request = party.request(more);
    return { request, outcome: await browser.visit(party.urlOf(request), { headers }) };
  };
  const refresh = (browser: Browser) => browser.send('POST', `${ISSUER}${API}/auth/refresh`);

  it('a live session gets a code at once: 303, not stored, without a referrer and a cookie', async () => {
    const browser = await signedIn(service, user);
    const { request, outcome } = await ask(browser);
    const { callback } = authorizedBy(outcome, request);
    expect([...callback.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
    expect(callback.get('iss')).toBe(ISSUER);
    const { status, headers, cookies, text } = outcome.response;
    expect([status, headers.get('cache-control'), headers.get('referrer-policy'), cookies, text]).toEqual([
      303,
      'no-store',
      'no-referrer',
      [],
      '',
    ]);
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });

  it('the refresh token of the browser stays good, however often it authorizes', async () => {
    const browser = await signedIn(service, user);
    for (let times = 0; times < 3; times += 1) expectCode(await ask(browser));
    expect((await refresh(browser)).status).toBe(200);
    expectCode(await ask(browser));
  });

  it('a refresh token of an earlier generation is no session, and ends none', async () => {
    const browser = await signedIn(service, user);
    const stale = openBrowser(service);
    stale.cookies.set(COOKIE, browser.cookies.get(COOKIE)!);
    expect((await refresh(browser)).status).toBe(200);
    expect((await refresh(browser)).status).toBe(200);
    expect((await ask(stale)).outcome.kind).toBe('page');
    expectError((await ask(stale, { prompt: 'none' })).outcome, 'login_required');
    expect((await refresh(browser)).status).toBe(200);
    expectCode(await ask(browser));
  });

  it('values that the service did not issue are no session', async () => {
    const browser = await signedIn(service, user);
    const { value } = browser.cookies.get(COOKIE)!;
    for (const forged of ['x', `${value}x`, value.slice(1), `${value.slice(0, -1)}!`, '"', '%00']) {
      const other = openBrowser(service);
      other.cookies.set(COOKIE, { value: forged, path: '/' });
      expect((await ask(other)).outcome.kind).toBe('page');
    }
    expectCode(await ask(browser));
  });

  it('a session that is over is no session', async () => {
    const [out, idle] = [await signedIn(service, user), await signedIn(service, user)];
    await callerOf(service, out).post('/auth/logout');
    expect((await ask(out)).outcome.kind).toBe('page');
    service.advance(24 * HOUR_MS);
    expect((await ask(idle)).outcome.kind).toBe('page');
  });

  it('the session of an account that has expired or is disabled is no session', async () => {
    for (const change of [
      (id: string, by: Caller) => by.patch(`/users/${id}`, { accountExpiresAt: new Date(0).toISOString() }),
      (id: string, by: Caller) => by.post(`/users/${id}/disable`),
    ]) {
      const refused = await service.user();
      const browser = await signedIn(service, refused);
      expectCode(await ask(browser));
      expect((await change(refused.sub, await service.admin())).status).toBe(200);
      expect((await ask(browser)).outcome.kind).toBe('page');
      expectError((await ask(browser, { prompt: 'none' })).outcome, 'login_required');
    }
  });

  it('the idle window slides, as by a refresh', async () => {
    const browser = await signedIn(service, user);
    for (let days = 0; days < 3; days += 1) {
      service.advance(20 * HOUR_MS);
      expectCode(await ask(browser));
    }
    expect((await refresh(browser)).status).toBe(200);
  });

  it.each([
    ['document', 'callback'],
    ['iframe', 'callback'],
    ['', 'callback'],
    ['image', 'page'],
    ['empty', 'page'],
    ['script', 'page'],
    ['frame', 'page'],
  ])('Sec-Fetch-Dest "%s" leads to a %s', async (destination, expected) => {
    const browser = await signedIn(service, user);
    const headers = destination === '' ? {} : { 'sec-fetch-dest': destination };
    expect((await ask(browser, {}, headers)).outcome.kind).toBe(expected);
  });

  it('a request by POST is stored, and judged by a navigation that brings the cookie', async () => {
    const browser = await signedIn(service, user);
    const url = service.metadata['authorization_endpoint'] as string;
    const { parameters, state } = party.request();
    // A form of another site: its POST brings no Lax cookie.
    const stored = await openBrowser(service).send('POST', url, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-dest': 'document' },
      body: parameters.toString(),
    });
    const location = stored.headers.get('location')!;
    expect([stored.status, new URL(location, ISSUER).pathname]).toEqual([303, new URL(url).pathname]);
    expect(stored.headers.get('cache-control')).toBe('no-store');
    expect(location).not.toContain(state);
    const outcome = await browser.visit(new URL(location, ISSUER).href);
    expect(outcome.kind === 'callback' && outcome.parameters.get('state')).toBe(state);
  });

  it('without a session the login page comes, and reloading it writes nothing', async () => {
    const browser = openBrowser(service);
    const { outcome } = await ask(browser, { login_hint: 'alice', ui_locales: 'de en', prompt: 'login' });
    expect(outcome.kind === 'page' && new URL(outcome.url).pathname).toBe('/login');
    const { searchParams } = new URL((outcome as { url: string }).url);
    expect([...searchParams.keys()]).toEqual(['request']);
    const path = `${ISSUER}${API}/auth/oauth2/requests/${searchParams.get('request')}`;
    const rows = async () =>
      JSON.stringify(await service.deployment.database.query('SELECT * FROM authorization_requests'));
    const before = await rows();
    const shown = await browser.send('GET', path);
    expect([shown.status, shown.body]).toEqual([
      200,
      {
        application: { name: 'Wiki', firstParty: true, tenantName: 'acme' },
        prompt: ['login'],
        loginHint: 'alice',
        uiLocales: 'de en',
        scopes: ['openid'],
      },
    ]);
    expect((await browser.send('GET', path)).text).toBe(shown.text);
    expect(await rows()).toBe(before);
    expect(before).not.toContain(searchParams.get('request'));
  });

  it('a request is 404 after 10 minutes', async () => {
    const { outcome } = await ask(openBrowser(service));
    const id = new URL((outcome as { url: string }).url).searchParams.get('request');
    const get = () => service.send('GET', `${ISSUER}${API}/auth/oauth2/requests/${id}`);
    service.advance(599_999);
    expect((await get()).status).toBe(200);
    service.advance(1);
    expect((await get()).status).toBe(404);
  });

  describe('prompt=none names the first thing that is missing', () => {
    const none = async (by: ServiceParty, browser: Browser, more: Parameters = {}) => {
      const { request, ...outcome } = await by.authorize(browser, { prompt: 'none', ...more });
      expect(outcome.response.status).toBe(303);
      expect(outcome.kind === 'callback' && outcome.parameters.get('iss')).toBe(ISSUER);
      expect(outcome.kind === 'callback' && outcome.parameters.get('state')).toBe(request.state);
      return outcome;
    };
    const demanding = (fields: object = {}) =>
      service.party({ requiredPermission: 'wiki:read', requiredAcr: 'mfa', ...fields });

    it('login_required: no session', async () => {
      expectError(await none(await demanding(), openBrowser(service)), 'login_required');
    });

    it('login_required: the session is too old', async () => {
      const browser = await signedIn(service, user);
      service.advance(2_000);
      expectError(await none(await demanding(), browser, { max_age: '1' }), 'login_required');
      expectError(await none(await demanding(), browser, { max_age: '0' }), 'login_required');
    });

    it('login_required: the hint names another account', async () => {
      const permissive = await service.party();
      const other = await permissive.logIn(openBrowser(service), await service.user());
      const browser = await signedIn(service, user);
      await permissive.logIn(browser, user);
      expectError(await none(permissive, browser, { id_token_hint: other.idToken }), 'login_required');
    });

    it('login_required: the application does not serve the account', async () => {
      const browser = await signedIn(service, await service.user({ tenantId: 'globex' }));
      expectError(await none(await demanding(), browser), 'login_required');
    });

    it('access_denied: requiredPermission', async () => {
      expectError(await none(await demanding(), await signedIn(service, user)), 'access_denied');
    });

    it('interaction_required: requiredAcr', async () => {
      const admin = await service.user({ roles: ['ADMIN'] });
      expectError(await none(await demanding(), await signedIn(service, admin)), 'interaction_required');
    });

    it('interaction_required: the tenant requires a factor', async () => {
      const strict = await service.user({ tenantId: 'strict' });
      const browser = await signedIn(service, strict);
      const root = await service.root();
      const changed = await root.patch('/tenants/strict/policy', { secondFactor: 'REQUIRED' });
      expect(changed.status).toBe(200);
      expectError(await none(await service.party({ tenantId: 'strict' }), browser), 'interaction_required');
    });

    it('interaction_required: a native application, always', async () => {
      const native = await service.party({ type: 'NATIVE', firstParty: true, redirectUris: ['com.example:/cb'] });
      const browser = await signedIn(service, user);
      expectError(await none(native, browser), 'interaction_required');
      await native.signIn(browser, user);
      expectError(await none(native, browser), 'interaction_required');
    });

    it('consent_required: a scope without consent', async () => {
      const third = await service.party();
      const browser = await signedIn(service, user);
      expectError(await none(third, browser), 'consent_required');
      await third.signIn(browser, user);
      expect((await none(third, browser)).kind === 'callback').toBe(true);
      expectError(await none(third, browser, { scope: 'openid email' }), 'consent_required');
    });
  });

  it('a hint of an expired ID token, and of a key that is rotated, is accepted (zitadel 279, 5232)', async () => {
    const browser = await signedIn(service, user);
    const { idToken } = await party.logIn(browser, user);
    service.advance(11 * 60_000);
    expect((await (await service.root()).post('/signing-keys/rotate', {})).status).toBeLessThan(300);
    service.advance(11 * 60_000);
    expectCode(await ask(browser, { id_token_hint: idToken, prompt: 'none' }));
  });

  it('a hint of another client, or an access token as a hint, is invalid_request', async () => {
    const other = await service.party({ firstParty: true });
    const browser = await signedIn(service, user);
    const { idToken, accessToken } = await other.logIn(browser, user);
    for (const hint of [idToken, accessToken, browser.accessToken])
      expectError((await ask(browser, { id_token_hint: hint })).outcome, 'invalid_request');
  });
});

/** Throws if there is no code. */
function expectCode({ outcome, request }: { outcome: Outcome; request: AuthorizationRequest }): void {
  authorizedBy(outcome, request);
}
