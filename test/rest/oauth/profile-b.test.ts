// Under Profile B the browser has no cookie of the service: the page asks for a login each time, and any live session continues.
import { describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { API } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { authorizedBy, expectError, expectTokenError } from '../../support/oauth/party.ts';
import { problem } from '../../support/problems.ts';
import { callerOf, continueRequest, openedService, REQUESTS, signedIn } from '../../support/oauth/service.ts';

rememberPasswords();

describe.each(DIAGONAL)('Profile B, $engine over $transport', (kind) => {
  const service = openedService({ ...kind, settings: { 'app.security.auth-profile': 'B' } });

  it('each request leads to the page, and any live session continues it', async () => {
    const party = await service.party({ firstParty: true });
    const user = await service.user();
    const browser = await signedIn(service, user);
    for (let times = 0; times < 2; times += 1) {
      const { request, ...outcome } = await party.authorize(browser);
      if (outcome.kind !== 'page') throw new Error('not a page');
      const response = await continueRequest(service, browser, outcome.url);
      const location = response.body.redirectTo as string;
      const parameters = new URL(location).searchParams;
      const authorized = authorizedBy({ kind: 'callback', location, parameters, response }, request);
      const { claims } = await party.tokensOf(await party.redeem(authorized), request.nonce);
      expect(claims.sub).toBe(user.sub);
    }
  });

  it('the errors of requests are problem documents, as in Profile A', async () => {
    const browser = await signedIn(service, await service.user());
    const page = `${service.issuer}/login?request=x`;
    const path = `${API}${REQUESTS}/x`;
    expect(await service.send('GET', service.issuer + path)).toEqual(problem(404, 'not-found', path));
    expect(await continueRequest(service, browser, page)).toEqual(problem(404, 'not-found', path));
    expect(await continueRequest(service, openBrowser(service), page)).toEqual(problem(401, 'unauthorized', path));
  });

  it('prompt=none is login_required', async () => {
    const party = await service.party({ firstParty: true });
    const browser = await signedIn(service, await service.user());
    const { request, ...outcome } = await party.authorize(browser, { prompt: 'none' });
    expectError(outcome, 'login_required', request.state);
  });

  it('a logout ends the grants of its session', async () => {
    const party = await service.party({ firstParty: true });
    const user = await service.user();
    const browser = await signedIn(service, user);
    const { request, ...outcome } = await party.authorize(openBrowser(service));
    if (outcome.kind !== 'page') throw new Error('not a page');
    const response = await continueRequest(service, browser, outcome.url);
    const location = response.body.redirectTo as string;
    const parameters = new URL(location).searchParams;
    const authorized = authorizedBy({ kind: 'callback', location, parameters, response }, request);
    const tokens = await party.tokensOf(await party.redeem(authorized), request.nonce);
    expect((await callerOf(service, browser).post('/auth/logout')).status).toBeLessThan(300);
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expectTokenError(await party.refresh(tokens.refreshToken), 'invalid_grant');
  });
});
