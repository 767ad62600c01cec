// How much callers without a session can store, and how often they can guess.
import { describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { formOf, openBrowser } from '../../support/oauth/browser.ts';
import { fillRequests } from '../../support/oauth/open-requests.ts';
import { expectTokenError, random } from '../../support/oauth/party.ts';
import { callerOf, openedService, signedIn } from '../../support/oauth/service.ts';

rememberPasswords();

const PENDING = 5;
const POINTS = 8;

describe.each(DIAGONAL)('limits, $engine over $transport', (kind) => {
  const service = openedService({
    ...kind,
    settings: {
      'app.oauth.pending-requests': String(PENDING),
      'app.security.m2m.rate-limit.store': 'memory',
      'app.security.m2m.rate-limit.points': String(POINTS),
    },
  });

  it('beyond the limit of pending requests there is a page 429, and 429 at PAR, until they expire', async () => {
    const party = await service.party({ firstParty: true });
    const user = await service.user();
    const browser = await signedIn(service, user);
    const ask = () => party.authorize(openBrowser(service));
    for (let index = 0; index < PENDING; index += 1) expect((await ask()).kind).toBe('page');
    const refused = await ask();
    expect([refused.kind, refused.response.status]).toEqual(['error-page', 429]);
    expect(refused.response.headers.get('content-type')).toMatch(/^text\/html/);
    const { parameters } = party.request();
    const url = service.metadata['pushed_authorization_request_endpoint'];
    const pushed = await party.token(Object.fromEntries(parameters), undefined, url);
    expect(pushed.status).toBe(429);
    expect(Number(pushed.headers.get('retry-after'))).toBeGreaterThan(0);
    const posted = await party.authorize(openBrowser(service), {}, 'POST');
    expect([posted.kind, posted.response.status]).toEqual(['error-page', 429]);
    // A session needs none of these places.
    await party.signIn(browser, user, { prompt: 'none' });
    service.advance(600_000);
    expect((await ask()).kind).toBe('page');
  });

  it('devices take the same places, until their users have decided', async () => {
    const party = await service.party({ deviceGrant: true });
    const browser = callerOf(service, await signedIn(service, await service.user()));
    service.advance(600_000);
    const start = () => party.token({}, undefined, service.metadata['device_authorization_endpoint']);
    const { user_code: userCode } = (await start()).body;
    for (let index = 1; index < PENDING; index += 1)
      expect((await party.authorize(openBrowser(service))).kind).toBe('page');
    const refused = await start();
    expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const decided = await browser.post('/auth/oauth2/device-requests/decision', { userCode, decision: 'DENY' });
    expect(decided.status).toBe(204);
    expect((await start()).status).toBe(200);
  });

  it('a request that was used gives its place back, also at another process', async () => {
    const party = await service.party({ firstParty: true });
    const user = await service.user();
    const second = await service.beside();
    service.advance(600_000);
    const ask = (at = service) => party.at(at).authorize(openBrowser(at));
    const browser = openBrowser(service);
    const { request: _request, ...first } = await party.authorize(browser);
    for (let index = 1; index < PENDING; index += 1) expect((await ask(second)).kind).toBe('page');
    expect([(await ask()).kind, (await ask(second)).kind]).toEqual(['error-page', 'error-page']);
    expect((await browser.finish(first, user)).kind).toBe('callback');
    expect([(await ask(second)).kind, (await ask()).kind]).toEqual(['page', 'error-page']);
    await second.close();
  });

  it('refused codes and refreshes of a client are limited, and successes of refreshes are not', async () => {
    const party = await service.party({ firstParty: true });
    const user = await service.user();
    const browser = await signedIn(service, user);
    const { refreshToken } = await party.logIn(browser, user);
    for (let index = 0; index < POINTS + 2; index += 1) await party.tokensOf(await party.refresh(refreshToken));
    for (let index = 0; index < POINTS; index += 1) expectTokenError(await party.refresh(random()), 'invalid_grant');
    const refused = await party.refresh(random());
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await service.party({ firstParty: true });
    await other.logIn(browser, user, { prompt: 'none' });
  });
});

const NETWORK = '192.0.2.1';

describe.each(DIAGONAL)('the limit of a network, $engine over $transport', (kind) => {
  const service = openedService({ ...kind, settings: { 'app.http.trusted-proxies': '127.0.0.1' } });

  it('beyond 3,000 pending requests there is a page 429, and 429 at PAR, for this network alone', async () => {
    const party = await service.party({ firstParty: true });
    const { clock, database } = service.deployment;
    await fillRequests(database, { count: 2_999, network: NETWORK, expiresAt: clock.now() + 600_000 });
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const ask = (address: string) => service.send('GET', party.urlOf(party.request()), from(address));
    const push = async (address: string) => {
      const url = service.metadata['pushed_authorization_request_endpoint'] as string;
      const form = formOf(
        new URLSearchParams([...party.request().parameters, ['client_secret', party.client.secret!]]),
      );
      return service.send('POST', url, { ...form, headers: { ...form.headers, ...from(address).headers } });
    };
    expect((await push(NETWORK)).status).toBe(201);
    const [page, pushed] = [await ask(NETWORK), await push(NETWORK)];
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '60']);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect([pushed.status, pushed.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(pushed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect([(await ask('192.0.2.2')).status, (await push('192.0.2.2')).status]).toEqual([303, 201]);
  });

  it('beyond 3,000 pending requests of an account there is a page 429, for this account alone', async () => {
    const party = await service.party({ firstParty: true });
    const { clock, database } = service.deployment;
    const [user, other] = [await service.user(), await service.user()];
    const network = `~${user.sub}`;
    await fillRequests(database, { count: 2_999, network, expiresAt: clock.now() + 600_000 });
    const [browser, stranger] = [await signedIn(service, user), await signedIn(service, other)];
    const ask = (by: typeof browser) => party.authorize(by, { prompt: 'login' });
    expect((await ask(browser)).kind).toBe('page');
    const refused = await ask(browser);
    expect([refused.kind, refused.response.status]).toEqual(['error-page', 429]);
    expect((await ask(stranger)).kind).toBe('page');
    expect((await party.authorize(openBrowser(service))).kind).toBe('page');
  });
});
