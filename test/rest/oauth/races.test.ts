// Requests at once at two processes: one succeeds, and no order of events leaves a token that should not be.
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeJwt } from 'jose';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { untilServed } from '../../support/at-once.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { expectTokenError } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import {
  callerOf,
  continueRequest,
  openedServices,
  signedIn,
  type Service,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';
import { ROUNDS } from '../../support/rounds.ts';

rememberPasswords();

const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);

describe.each(DIAGONAL)('races, $engine over $transport', (kind) => {
  const [service, second] = openedServices(kind);
  let trusted: ServiceParty;
  let party: ServiceParty;
  let user: ServiceUser;
  let browser: Browser;
  beforeAll(async () => {
    trusted = await service.party({ firstParty: true });
    party = await service.party();
    user = await service.user();
    browser = await signedIn(service, user);
  });

  const statuses = (responses: readonly RestResponse[]) =>
    responses.map(({ status }) => status).toSorted((a, b) => a - b);

  it.each(rounds)('a code twice at once: one succeeds, and its grant is revoked (fosite 778), round %i', async () => {
    const authorized = await trusted.signIn(browser, user);
    const parties = [trusted, trusted.at(second), trusted, trusted.at(second)];
    const responses = await Promise.all(parties.map((at) => untilServed(() => at.redeem(authorized))));
    expect(statuses(responses)).toEqual([200, 400, 400, 400]);
    for (const response of responses.filter(({ status }) => status === 400))
      expectTokenError(response, 'invalid_grant');
    const { access_token: accessToken, refresh_token: refreshToken } = responses.find(
      ({ status }) => status === 200,
    )!.body;
    for (const at of parties.slice(0, 2)) {
      expect((await at.userinfo(accessToken)).status).toBe(401);
      expectTokenError(await at.refresh(refreshToken), 'invalid_grant');
    }
  });

  it.each(rounds)('a right and wrong presentations at once: the right one succeeds, round %i', async () => {
    const authorized = await trusted.signIn(browser, user);
    const wrong = { code_verifier: 'a'.repeat(43) };
    const responses = await Promise.all([
      untilServed(() => trusted.at(second).redeem(authorized, wrong)),
      untilServed(() => trusted.redeem(authorized)),
      untilServed(() => trusted.at(second).redeem(authorized, wrong)),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([400, 200, 400]);
    await trusted.tokensOf(await trusted.refresh(responses[1].body.refresh_token));
  });

  it.each(rounds)('two answers of the page at once: one gets the code, the other 404, round %i', async () => {
    const { request: _, ...outcome } = await trusted.authorize(openBrowser(service));
    if (outcome.kind !== 'page') throw new Error('not a page');
    const at = async (process: Service) => continueRequest(process, await sharing(browser, process), outcome.url);
    const responses = await Promise.all([at(service), at(second)].map((one) => untilServed(() => one)));
    expect(statuses(responses)).toEqual([200, 404]);
  });

  it.each(rounds)('ALLOW and DENY at once: one of them counts, round %i', async () => {
    const { request: _, ...outcome } = await party.authorize(openBrowser(service));
    if (outcome.kind !== 'page') throw new Error('not a page');
    const responses = await Promise.all([
      continueRequest(service, await sharing(browser, service), outcome.url, 'ALLOW'),
      continueRequest(second, await sharing(browser, second), outcome.url, 'DENY'),
    ]);
    expect(statuses(responses)).toEqual([200, 404]);
  });

  it.each(rounds)('a consent and its revocation at once: no grant without a consent, round %i', async () => {
    const somebody = await service.user();
    const own = await signedIn(service, somebody);
    const first = await party.logIn(own, somebody);
    const authorized = await party.signIn(own, somebody);
    const gid = decodeJwt(first.accessToken)['gid'] as string;
    const self = callerOf(second, own);
    const [redeemed, revoked] = await Promise.all([
      untilServed(() => party.redeem(authorized)),
      untilServed(() => self.delete(`/account/grants/${gid}`)),
    ]);
    expect(revoked.status).toBe(204);
    expect([200, 400]).toContain(redeemed.status);
    // The tokens of the revoked grant are over in every order.
    expectTokenError(await party.refresh(first.refreshToken), 'invalid_grant');
    expect((await party.userinfo(first.accessToken)).status).toBe(401);
    if (redeemed.status === 400) expectTokenError(redeemed, 'invalid_grant');
    else expectTokenError(await party.refresh(redeemed.body.refresh_token), 'invalid_grant');
    // The next request asks.
    const { request: _, ...outcome } = await party.authorize(own, { prompt: 'none' });
    expect(outcome.kind === 'callback' && outcome.parameters.get('error')).toBe('consent_required');
  });

  it.each(rounds)('a code and the end of its session at once: no token outlives the end, round %i', async () => {
    const own = await signedIn(service, user);
    const authorized = await trusted.signIn(own, user);
    const [redeemed, ended] = await Promise.all([
      untilServed(() => trusted.redeem(authorized)),
      untilServed(() => callerOf(second, own).post('/auth/logout')),
    ]);
    expect(ended.status).toBe(200);
    if (redeemed.status === 400) return expectTokenError(redeemed, 'invalid_grant');
    const { access_token: accessToken, refresh_token: refreshToken } = redeemed.body;
    expect((await trusted.userinfo(accessToken)).status).toBe(401);
    expectTokenError(await trusted.refresh(refreshToken), 'invalid_grant');
  });

  it.each(rounds)('a refresh and the revocation of its grant at once, round %i', async () => {
    const spa = await service.party({ type: 'SPA', firstParty: true });
    const tokens = await spa.logIn(browser, user);
    const [refreshed, revoked] = await Promise.all([
      untilServed(() => spa.refresh(tokens.refreshToken)),
      untilServed(() =>
        spa.at(second).token({ token: tokens.refreshToken }, undefined, service.metadata['revocation_endpoint']),
      ),
    ]);
    expect(revoked.status).toBe(200);
    expect([200, 400]).toContain(refreshed.status);
    const last = refreshed.status === 200 ? refreshed.body.refresh_token : tokens.refreshToken;
    expectTokenError(await spa.refresh(last), 'invalid_grant');
  });

  it('a suspended tenant between code and token: invalid_grant, and nothing is stored', async () => {
    const somebody = await service.user({ tenantId: 'stopping' });
    const own = await signedIn(service, somebody);
    const stopping = await service.party({ tenantId: 'stopping', firstParty: true });
    const authorized = await stopping.signIn(own, somebody);
    const root = await second.root();
    await root.post('/tenants/stopping/suspend');
    expectTokenError(await stopping.redeem(authorized), 'invalid_grant');
    await root.post('/tenants/stopping/activate');
    expect((await callerOf(service, await signedIn(service, somebody)).get('/account/grants')).body).toEqual([]);
  });

  it('a disabled account, an ended session, a removed redirect URI between code and token: invalid_grant', async () => {
    const admin = await second.admin();
    const root = await second.root();
    const somebody = await service.user();
    const victim = await service.party({ firstParty: true });
    const removed = await victim.signIn(await signedIn(service, somebody), somebody);
    await root.patch(`/applications/${victim.client.applicationId}`, { redirectUris: ['https://other.example.com/'] });
    expectTokenError(await victim.redeem(removed), 'invalid_grant');
    const out = await signedIn(service, somebody);
    const ended = await trusted.signIn(out, somebody);
    await callerOf(second, out).post('/auth/logout');
    expectTokenError(await trusted.redeem(ended), 'invalid_grant');
    const disabled = await trusted.signIn(await signedIn(service, somebody), somebody);
    await admin.post(`/users/${somebody.sub}/disable`);
    expectTokenError(await trusted.redeem(disabled), 'invalid_grant');
  });
});

/** The same browser, at another process. */
async function sharing(browser: Browser, service: Service): Promise<Browser> {
  const other = openBrowser(service);
  other.accessToken = browser.accessToken;
  other.user = browser.user;
  return other;
}
