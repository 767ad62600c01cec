// How the login page continues an authorization request: by the bearer token of a session.
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { API } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { faults } from '../../support/callers.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { authorizedBy, expectError, random, type Parameters } from '../../support/oauth/party.ts';
import type { Browser, Outcome } from '../../support/oauth/provider.ts';
import { problem } from '../../support/problems.ts';
import { bearer, type RestResponse } from '../../support/rest-client.ts';
import {
  callerOf,
  confirmSession,
  continueRequest,
  ISSUER,
  openedService,
  requestIdOf,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';

rememberPasswords();

const PATH = expect.stringMatching(/^\/api\/v1\/auth\/oauth2\/requests\//) as unknown as string;

describe.each(DIAGONAL)('continuation, $engine over $transport', (kind) => {
  const service = openedService(kind);
  let party: ServiceParty;
  let trusted: ServiceParty;
  let user: ServiceUser;
  beforeAll(async () => {
    party = await service.party();
    trusted = await service.party({ firstParty: true });
    user = await service.user();
  });

  /** Opens a request in a browser that has no session. Returns the URL of its page. */
  const open = async (by: ServiceParty, more: Parameters = {}, browser = openBrowser(service)) => {
    const { request, ...outcome } = await by.authorize(browser, more);
    if (outcome.kind !== 'page') throw new Error(`not a page: ${JSON.stringify(outcome)}`);
    return { request, url: outcome.url };
  };
  const proceed = (browser: Browser, url: string, decision?: string) =>
    continueRequest(service, browser, url, decision);
  const get = (url: string) => service.send('GET', `${ISSUER}${API}/auth/oauth2/requests/${requestIdOf(url)}`);
  const outcomeOf = (response: RestResponse): Outcome => {
    const location = response.body?.redirectTo as string;
    expect([response.status, location]).toEqual([200, expect.any(String)]);
    return { kind: 'callback', location, parameters: new URL(location).searchParams, response };
  };

  it('returns a redirect with a code for a session of the account', async () => {
    const browser = await signedIn(service, user);
    const { request, url } = await open(trusted);
    const response = await proceed(browser, url);
    const { callback } = authorizedBy(outcomeOf(response), request);
    expect([callback.get('state'), callback.get('iss')]).toEqual([request.state, ISSUER]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    await trusted.tokensOf(await trusted.redeem(authorizedBy(outcomeOf(response), request)), request.nonce);
  });

  it('is open in several tabs, and each gets the code of its own request (hydra 3757, keycloak 12406)', async () => {
    const browser = await signedIn(service, user);
    const tabs = await Promise.all(['a', 'b', 'c'].map((state) => open(trusted, { state })));
    for (const { request, url } of tabs.toReversed()) {
      const authorized = authorizedBy(outcomeOf(await proceed(browser, url)), request);
      expect(authorized.callback.get('state')).toBe(request.parameters.get('state'));
      await trusted.tokensOf(await trusted.redeem(authorized), request.nonce);
    }
  });

  it('succeeds once: then 404, for GET too', async () => {
    const browser = await signedIn(service, user);
    const { url } = await open(trusted);
    expect((await proceed(browser, url)).status).toBe(200);
    expect(await proceed(browser, url)).toEqual(problem(404, 'not-found', PATH));
    expect(await get(url)).toEqual(problem(404, 'not-found', PATH));
  });

  it('is 404 for unknown ids and after 10 minutes', async () => {
    const browser = await signedIn(service, user);
    for (const id of [random(), 'x', '%00', 'x'.repeat(200)])
      expect((await proceed(browser, `${ISSUER}/login?request=${encodeURIComponent(id)}`)).status).toBe(404);
    const { url } = await open(trusted);
    service.advance(600_000);
    expect((await proceed(browser, url)).status).toBe(404);
  });

  it('a stolen id without a bearer token gets nothing (keycloak 49111)', async () => {
    const { request, url } = await open(trusted);
    const stranger = openBrowser(service);
    expect(await proceed(stranger, url)).toEqual(problem(401, 'unauthorized', PATH));
    const cookieOnly = await signedIn(service, user);
    cookieOnly.accessToken = undefined;
    expect((await proceed(cookieOnly, url)).status).toBe(401);
    cookieOnly.accessToken = 'x';
    expect((await proceed(cookieOnly, url)).status).toBe(401);
    const browser = await signedIn(service, user);
    authorizedBy(outcomeOf(await proceed(browser, url)), request);
  });

  it('the token of an application, also with our audience, does not continue: 401, 403', async () => {
    const first = await service.party({ firstParty: true, resources: ['my-shop'] });
    const browser = await signedIn(service, user);
    const plain = await first.logIn(browser, user);
    const ours = await first.logIn(browser, user, { resource: 'my-shop' });
    const { request, url } = await open(trusted);
    const sendAs = (accessToken: string) =>
      service.send('POST', `${ISSUER}${API}/auth/oauth2/requests/${requestIdOf(url)}`, {
        headers: { 'content-type': 'application/json', ...bearer(accessToken) },
        body: '{}',
      });
    expect((await sendAs(plain.accessToken)).status).toBe(401);
    expect((await sendAs(ours.accessToken)).status).toBe(403);
    authorizedBy(outcomeOf(await proceed(browser, url)), request);
  });

  describe('an account that is not served is 403, and the request stays', () => {
    it.each<[what: string, seed: () => Promise<ServiceUser>]>([
      ['of another tenant', () => service.user({ tenantId: 'globex' })],
      ['a SUPER_ADMIN', () => service.user({ tenantId: undefined, roles: ['SUPER_ADMIN'] })],
    ])('%s', async (_, seed) => {
      const foreign = await signedIn(service, await seed());
      const { request, url } = await open(trusted);
      for (const decision of [undefined, 'ALLOW', 'DENY'])
        expect(await proceed(foreign, url, decision)).toEqual(problem(403, 'permission-denied', PATH));
      const browser = await signedIn(service, user);
      authorizedBy(outcomeOf(await proceed(browser, url)), request);
    });

    it('another account than that of the id_token_hint', async () => {
      const { idToken } = await trusted.logIn(openBrowser(service), user);
      const other = await signedIn(service, await service.user());
      const { request, url } = await open(trusted, { id_token_hint: idToken });
      for (const decision of [undefined, 'ALLOW', 'DENY'])
        expect((await proceed(other, url, decision)).status).toBe(403);
      authorizedBy(outcomeOf(await proceed(await signedIn(service, user), url)), request);
    });
  });

  it("another account's session may take over a request, and gets a code for itself alone", async () => {
    const { request, url } = await open(trusted, { login_hint: user.username });
    const other = await service.user();
    const authorized = authorizedBy(outcomeOf(await proceed(await signedIn(service, other), url)), request);
    const { claims } = await trusted.tokensOf(await trusted.redeem(authorized), request.nonce);
    expect(claims.sub).toBe(other.sub);
  });

  it('DENY is access_denied, and ends the request', async () => {
    const browser = await signedIn(service, user);
    for (const by of [party, trusted]) {
      const { request, url } = await open(by);
      expectError(outcomeOf(await proceed(browser, url, 'DENY')), 'access_denied', request.state);
      expect((await proceed(browser, url)).status).toBe(404);
    }
  });

  it('requiredPermission missing is access_denied', async () => {
    const demanding = await service.party({ requiredPermission: 'wiki:read', firstParty: true });
    const { request, url } = await open(demanding);
    expectError(outcomeOf(await proceed(await signedIn(service, user), url)), 'access_denied', request.state);
    const admin = await service.user({ roles: ['ADMIN'] });
    await demanding.logIn(openBrowser(service), admin);
  });

  it('refuses a decision that does not exist', async () => {
    const { url } = await open(party);
    const refused = await proceed(await signedIn(service, user), url, 'MAYBE');
    expect([refused.status, faults(refused)]).toEqual([400, ['decision']]);
  });

  describe('consent', () => {
    it('is asked for once for account, application and scope', async () => {
      const browser = await signedIn(service, await service.user());
      const { request, url } = await open(party, { scope: 'openid email' });
      const asked = await proceed(browser, url);
      expect([asked.status, asked.body]).toEqual([200, { consentRequired: { scopes: ['openid', 'email'] } }]);
      expect((await proceed(browser, url)).body).toEqual(asked.body);
      authorizedBy(outcomeOf(await proceed(browser, url, 'ALLOW')), request);
      const again = await open(party, { scope: 'email openid' });
      authorizedBy(outcomeOf(await proceed(browser, again.url)), again.request);
      const wider = await open(party, { scope: 'openid profile' });
      expect((await proceed(browser, wider.url)).body).toHaveProperty('consentRequired');
      const other = await open(await service.party());
      expect((await proceed(browser, other.url)).body).toHaveProperty('consentRequired');
    });

    it('is asked for again by prompt=consent, never for a first party', async () => {
      const browser = await signedIn(service, user);
      await party.logIn(browser, user);
      const { url } = await open(party, { prompt: 'consent' }, browser);
      expect((await proceed(browser, url)).body).toHaveProperty('consentRequired');
      const { request, ...outcome } = await trusted.authorize(browser, { prompt: 'consent' });
      authorizedBy(await browser.finish(outcome, user), request);
    });

    it('shows offline_access, and ALLOW at once is enough', async () => {
      const browser = await signedIn(service, await service.user());
      const { request, url } = await open(party, { scope: 'openid offline_access' });
      expect((await get(url)).body.scopes).toEqual(['openid', 'offline_access']);
      expect((await proceed(browser, url)).body).toEqual({ consentRequired: { scopes: ['openid', 'offline_access'] } });
      const other = await open(party, { scope: 'openid offline_access' });
      authorizedBy(outcomeOf(await proceed(browser, other.url, 'ALLOW')), other.request);
      authorizedBy(outcomeOf(await proceed(browser, url)), request);
    });

    it('that is denied is not remembered', async () => {
      const browser = await signedIn(service, await service.user());
      const { url } = await open(party);
      await proceed(browser, url, 'DENY');
      const again = await open(party);
      expect((await proceed(browser, again.url)).body).toHaveProperty('consentRequired');
    });
  });

  describe('a decision is needed at the first POST', () => {
    it.each<[what: string, by: () => Promise<ServiceParty>, more: Parameters]>([
      ['for prompt=select_account', async () => trusted, { prompt: 'select_account' }],
      [
        'for a native application, first party too',
        () => service.party({ type: 'NATIVE', firstParty: true, redirectUris: ['com.example:/cb'] }),
        {},
      ],
    ])('%s', async (_, makeParty, more) => {
      const by = await makeParty();
      const browser = await signedIn(service, user);
      const { request, url } = await open(by, more, browser);
      const refused = await proceed(browser, url);
      expect(refused).toEqual(problem(400, 'validation-error', PATH));
      expect(faults(refused)).toEqual(['decision']);
      authorizedBy(outcomeOf(await proceed(browser, url, 'ALLOW')), request);
    });
  });

  describe('confirmation', () => {
    it('is required for prompt=login, whatever the decision, by the methods of the account', async () => {
      const browser = await signedIn(service, user);
      service.advance(1_000);
      const { request, url } = await open(trusted, { prompt: 'login' }, browser);
      for (const decision of [undefined, 'ALLOW'])
        expect((await proceed(browser, url, decision)).body).toEqual({
          confirmationRequired: { methods: ['password'] },
        });
      service.advance(1_000);
      await confirmSession(service, browser);
      authorizedBy(outcomeOf(await proceed(browser, url)), request);
    });

    it('is required once: an authentication after the request satisfies it (goiabada 243, keycloak 33641)', async () => {
      for (const more of [{ max_age: '0' }, { max_age: '1' }, { prompt: 'login', max_age: '1' }]) {
        const browser = openBrowser(service);
        const { request, url } = await open(trusted, more, browser);
        service.advance(5_000);
        const fresh = await signedIn(service, user);
        service.advance(60_000);
        authorizedBy(outcomeOf(await proceed(fresh, url)), request);
      }
    });

    it('comes before the consent', async () => {
      const browser = await signedIn(service, await service.user());
      service.advance(1_000);
      const { url } = await open(party, { prompt: 'login consent' }, browser);
      expect((await proceed(browser, url)).body).toHaveProperty('confirmationRequired');
    });
  });

  it('judges the session, the account and the application as they are then', async () => {
    const ended = await signedIn(service, user);
    const { url } = await open(trusted);
    await callerOf(service, ended).post('/auth/logout');
    expect((await proceed(ended, url)).status).toBe(401);
    const victim = await service.party({ firstParty: true });
    const other = await open(victim);
    const browser = await signedIn(service, user);
    const root = await service.root();
    await root.patch(`/applications/${victim.client.applicationId}`, { disabled: true });
    expect([403, 404]).toContain((await proceed(browser, other.url)).status);
    await root.patch(`/applications/${victim.client.applicationId}`, {
      disabled: false,
      redirectUris: ['https://other.example.com/'],
    });
    expect([403, 404]).toContain((await proceed(browser, other.url)).status);
  });
});
