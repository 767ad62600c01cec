// RP-initiated logout: what an application's request makes of the session of a browser.
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { API } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { formOf, openBrowser } from '../../support/oauth/browser.ts';
import { toForm, type Parameters } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { ISSUER, openedService, signedIn, type ServiceParty, type ServiceUser } from '../../support/oauth/service.ts';

rememberPasswords();

const BYE = 'https://app.example.com/bye';
const HOUR_MS = 3_600_000;

describe.each(DIAGONAL)('logout by an application, $engine over $transport', (kind) => {
  const service = openedService(kind);
  let party: ServiceParty;
  let user: ServiceUser;
  beforeAll(async () => {
    party = await service.party({ firstParty: true, postLogoutRedirectUris: [BYE] });
    user = await service.user();
  });

  const urlOf = (parameters: Parameters) =>
    `${service.metadata['end_session_endpoint']}?${toForm(parameters).toString()}`;
  const visit = (browser: Browser, parameters: Parameters) => browser.visit(urlOf(parameters));
  const isLive = async (browser: Browser) =>
    (await browser.send('POST', `${ISSUER}${API}/auth/refresh`)).status === 200;
  async function begin() {
    const browser = await signedIn(service, user);
    const { idToken } = await party.logIn(browser, user);
    return { browser, idToken };
  }
  const confirm = (browser: Browser, id: string, origin: string | undefined = ISSUER) =>
    browser.send('POST', `${ISSUER}${API}/auth/oauth2/logout-requests/${id}`, {
      headers: { ...(origin && { origin }) },
    });
  const ask = async (browser: Browser, parameters: Parameters): Promise<string> => {
    const { headers } = await browser.send('GET', urlOf(parameters));
    const location = headers.get('location') ?? '';
    expect(location).toMatch(/\/logout\?request=[\w-]{43}(?:&ui_locales=[^&]*)?$/);
    return new URL(location, ISSUER).searchParams.get('request')!;
  };

  it('the hint of the browser ends its session, at once and everywhere, and clears the cookie', async () => {
    const { browser, idToken } = await begin();
    const other = await signedIn(service, user);
    const outcome = await visit(browser, { id_token_hint: idToken, post_logout_redirect_uri: BYE, state: 'x y&z' });
    expect(outcome).toMatchObject({ kind: 'callback', location: `${BYE}?state=x%20y%26z` });
    const { status, headers } = outcome.response;
    expect([status, headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      303,
      'no-store',
      'no-referrer',
    ]);
    expect(headers.has('access-control-allow-origin')).toBe(false);
    expect(browser.cookies.size).toBe(0);
    expect(await isLive(browser)).toBe(false);
    expect(await isLive(other)).toBe(true);
  });

  it('an expired hint is one, and the form is judged as the query is', async () => {
    const { browser, idToken } = await begin();
    service.advance(HOUR_MS);
    const form = formOf(toForm({ id_token_hint: idToken, client_id: party.client.id, post_logout_redirect_uri: BYE }));
    const stored = await browser.send('POST', service.metadata['end_session_endpoint'], form);
    expect(stored.status).toBe(303);
    expect(await isLive(browser)).toBe(true);
    expect(await browser.visit(new URL(stored.headers.get('location')!, ISSUER).href)).toMatchObject({ location: BYE });
    expect(await isLive(browser)).toBe(false);
  });

  it('without a URI, it shows that the user is logged out, in the language of the request', async () => {
    const { browser, idToken } = await begin();
    const { response } = await visit(browser, { id_token_hint: idToken, ui_locales: 'fr de-AT' });
    expect([response.status, response.headers.get('content-language')]).toEqual([200, 'de']);
    expect(response.text).toContain('Sie sind abgemeldet');
    expect(await isLive(browser)).toBe(false);
    expect((await visit(browser, {})).response.text).toContain('You are logged out');
  });

  it('a hint of a session that is over, or lives elsewhere, redirects, and ends nothing', async () => {
    const { browser, idToken } = await begin();
    const elsewhere = openBrowser(service);
    const parameters = { id_token_hint: idToken, post_logout_redirect_uri: BYE };
    expect(await visit(elsewhere, parameters)).toMatchObject({ location: BYE });
    expect(await isLive(browser)).toBe(true);
    expect(await visit(browser, parameters)).toMatchObject({ location: BYE });
    expect(await visit(browser, parameters)).toMatchObject({ location: BYE });
  });

  it('for another session of the browser, and without a hint, the page asks', async () => {
    const { idToken } = await begin();
    const browser = await signedIn(service, user);
    for (const parameters of [{ id_token_hint: idToken }, { client_id: party.client.id }]) {
      const request = { ...parameters, post_logout_redirect_uri: BYE, state: 's', ui_locales: 'de' };
      const id = await ask(browser, request);
      expect(await isLive(browser)).toBe(true);
      for (const origin of ['', 'https://evil.example', 'null']) {
        expect((await confirm(browser, id, origin)).status).toBe(403);
        expect(await isLive(browser)).toBe(true);
      }
      const { status, body, cookies } = await confirm(browser, id);
      expect([status, body]).toEqual([200, { redirectTo: `${BYE}?state=s` }]);
      expect(cookies).toHaveLength(1);
      expect(await isLive(browser)).toBe(false);
      expect((await confirm(browser, id)).status).toBe(404);
      Object.assign(browser, await signedIn(service, user));
    }
  });

  it('without a session, a request without a hint redirects at once', async () => {
    const parameters = { client_id: party.client.id, post_logout_redirect_uri: BYE };
    expect(await visit(openBrowser(service), parameters)).toMatchObject({ location: BYE });
  });

  it('a request of the page without a URI, late, or whose URI was taken away', async () => {
    const browser = await signedIn(service, user);
    const plain = await ask(browser, {});
    expect((await confirm(browser, plain)).body).toEqual({});
    const again = await signedIn(service, user);
    const late = await ask(again, {});
    service.advance(600_001);
    expect((await confirm(again, late)).status).toBe(404);
    const changed = await service.party({ postLogoutRedirectUris: [BYE] });
    const open = await ask(again, { client_id: changed.client.id, post_logout_redirect_uri: BYE });
    const path = `/applications/${changed.client.applicationId}`;
    expect((await (await service.admin()).patch(path, { postLogoutRedirectUris: [] })).status).toBe(200);
    expect((await confirm(again, open)).status).toBe(404);
    expect(await isLive(again)).toBe(true);
  });

  it('an invalid request is a page in HTML with 400, and ends nothing', async () => {
    const { browser, idToken } = await begin();
    const [header, payload, signature] = idToken.split('.');
    const other = await service.party({ postLogoutRedirectUris: [`${BYE}/other`] });
    const hint = { id_token_hint: idToken };
    const { accessToken } = await party.logIn(browser, user);
    for (const parameters of [
      { client_id: 'unknown', post_logout_redirect_uri: BYE },
      { ...hint, client_id: other.client.id },
      { ...hint, post_logout_redirect_uri: `${BYE}/other` },
      { ...hint, post_logout_redirect_uri: `${BYE}/` },
      { post_logout_redirect_uri: BYE },
      { id_token_hint: `${header}.${payload}.${signature!.slice(0, -2)}AA` },
      { id_token_hint: 'x' },
      { id_token_hint: accessToken },
      { ...hint, state: ['a', 'b'] },
      { posted: 'unknown' },
    ]) {
      const outcome = await visit(browser, parameters);
      expect([outcome.kind, outcome.response.status], JSON.stringify(parameters)).toEqual(['error-page', 400]);
      expect(outcome.response.headers.get('content-type')).toMatch(/^text\/html/);
    }
    const tooLarge = formOf(toForm({ state: 'x'.repeat(17_000) }));
    expect((await browser.send('POST', service.metadata['end_session_endpoint'], tooLarge)).status).toBe(414);
    expect(await isLive(browser)).toBe(true);
  });

  it('an image or a script of a page ends no session', async () => {
    const { browser, idToken } = await begin();
    const headers = { 'sec-fetch-dest': 'image' };
    await browser.visit(urlOf({ id_token_hint: idToken }), { headers });
    expect(await isLive(browser)).toBe(true);
  });

  it('the logout is in the audit trail, once', async () => {
    const own = await service.user();
    const browser = await signedIn(service, own);
    const { idToken } = await party.logIn(browser, own);
    await visit(browser, { id_token_hint: idToken });
    const { body } = await (await service.admin()).get(`/audit-records?accountId=${own.sub}&perPage=100`);
    expect(
      body.map(({ event }: { event: string }) => event).filter((event: string) => event === 'session.logged-out'),
    ).toHaveLength(1);
  });
});

describe.each(DIAGONAL)('logout by an application in Profile B, $engine over $transport', (kind) => {
  const service = openedService({ ...kind, settings: { 'app.security.auth-profile': 'B' } });

  it('a hint ends its live session; without one, the page asks, and the bearer token confirms', async () => {
    const party = await service.party({ firstParty: true, postLogoutRedirectUris: [BYE] });
    const user = await service.user();
    const end = (parameters: Parameters) =>
      service.send('GET', `${service.metadata['end_session_endpoint']}?${toForm(parameters).toString()}`);
    const me = (browser: Browser) =>
      service.send('GET', `${ISSUER}${API}/auth/me`, { headers: { authorization: `Bearer ${browser.accessToken}` } });

    const hinted = await signedIn(service, user);
    const { idToken } = await party.logIn(hinted, user);
    const live = await signedIn(service, user);
    // Its page continues the request with the latest login.
    expect((await me(hinted)).status).toBe(200);
    expect((await end({ id_token_hint: idToken, post_logout_redirect_uri: BYE })).headers.get('location')).toBe(BYE);
    expect((await me(hinted)).status).toBe(401);
    expect((await end({ id_token_hint: idToken, post_logout_redirect_uri: BYE })).headers.get('location')).toBe(BYE);

    const outcome = await end({ client_id: party.client.id, post_logout_redirect_uri: BYE });
    const id = new URL(outcome.headers.get('location')!, ISSUER).searchParams.get('request')!;
    const path = `${ISSUER}${API}/auth/oauth2/logout-requests/${id}`;
    expect((await service.send('POST', path)).status).toBe(401);
    const headers = { authorization: `Bearer ${live.accessToken}` };
    expect(await service.send('POST', path, { headers })).toMatchObject({ status: 200, body: { redirectTo: BYE } });
    expect((await me(live)).status).toBe(401);
    expect((await service.send('POST', path, { headers })).status).toBe(401);
  });
});
