// Refresh tokens: those of confidential clients stay, those of public ones rotate, with one repeat while their answer may be lost.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { untilServed } from '../../support/at-once.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { expectTokenError, type Parameters } from '../../support/oauth/party.ts';
import { openedServices, signedIn, type ServiceParty, type ServiceUser } from '../../support/oauth/service.ts';
import { ROUNDS } from '../../support/rounds.ts';

rememberPasswords();

const SECOND_MS = 1_000;
const DAY_MS = 24 * 3_600 * SECOND_MS;

describe.each(DIAGONAL)('refresh rules, $engine over $transport', (kind) => {
  const [service, second] = openedServices(kind);
  let web: ServiceParty;
  let spa: ServiceParty;
  let user: ServiceUser;
  beforeAll(async () => {
    web = await service.party({ firstParty: true });
    spa = await service.party({ type: 'SPA', firstParty: true });
    user = await service.user();
  });

  const begin = async (party: ServiceParty, more: Parameters = {}) =>
    party.logIn(await signedIn(service, user), user, more);
  const next = async (party: ServiceParty, refreshToken: string, more: Parameters = {}) =>
    party.tokensOf(await untilServed(() => party.refresh(refreshToken, more)));
  const expectEnded = async (party: ServiceParty, refreshToken: string, accessToken: string) => {
    for (const at of [party, party.at(second)]) {
      expectTokenError(await at.refresh(refreshToken), 'invalid_grant');
      expect((await at.userinfo(accessToken)).status).toBe(401);
    }
  };

  it('a confidential client keeps its refresh token, used in parallel at two processes', async () => {
    const { refreshToken } = await begin(web);
    const responses = await Promise.all([web, web.at(second), web, web.at(second)].map((at) => next(at, refreshToken)));
    for (const tokens of responses) expect(tokens.refreshToken).toBe(refreshToken);
    expect(new Set(responses.map(({ accessToken }) => accessToken)).size).toBe(4);
    await next(web, refreshToken);
  });

  it('a public client gets the same successor again while it is unused, however late (keycloak 14122)', async () => {
    const first = await begin(spa);
    const { refreshToken, accessToken } = await next(spa, first.refreshToken);
    expect(refreshToken).not.toBe(first.refreshToken);
    for (const wait of [0, 31 * SECOND_MS, 3_600 * SECOND_MS]) {
      service.advance(wait);
      const again = await next(spa.at(second), first.refreshToken);
      expect(again.refreshToken).toBe(refreshToken);
      expect(again.accessToken).not.toBe(accessToken);
      expect(decodeJwt(again.accessToken)['gid']).toBe(decodeJwt(accessToken)['gid']);
    }
    await next(spa, refreshToken);
  });

  it('and for 30 s after the first use of the successor, no longer', async () => {
    const first = await begin(spa);
    const successor = await next(spa, first.refreshToken);
    const third = await next(spa, successor.refreshToken);
    service.advance(30 * SECOND_MS);
    expect((await next(spa, first.refreshToken)).refreshToken).toBe(successor.refreshToken);
    service.advance(1);
    expectTokenError(await spa.refresh(first.refreshToken), 'invalid_grant');
    await expectEnded(spa, third.refreshToken, third.accessToken);
  });

  it('parallel presentations get one successor (better-auth 8512, keycloak 45647)', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { refreshToken } = await begin(spa);
      const all = await Promise.all([spa, spa.at(second), spa, spa.at(second)].map((at) => next(at, refreshToken)));
      expect(new Set(all.map((tokens) => tokens.refreshToken)).size).toBe(1);
      await next(spa, all[0]!.refreshToken);
    }
  });

  it('a repeat with another scope is invalid_grant', async () => {
    const first = await begin(spa, { scope: 'openid email' });
    await next(spa, first.refreshToken);
    expectTokenError(await spa.refresh(first.refreshToken, { scope: 'openid' }), 'invalid_grant');
  });

  it('a repeat with the same narrower scope is given again', async () => {
    const first = await begin(spa, { scope: 'openid email' });
    const narrow = await next(spa, first.refreshToken, { scope: 'openid' });
    const again = await next(spa, first.refreshToken, { scope: 'openid' });
    expect(again.refreshToken).toBe(narrow.refreshToken);
    expect(again.response.body.scope).toBe('openid');
    expect((await next(spa, again.refreshToken)).response.body.scope).toBe('openid email');
  });

  it('a token of two generations ago ends the grant, on every process', async () => {
    const first = await begin(spa);
    const successor = await next(spa, first.refreshToken);
    const third = await next(spa, successor.refreshToken);
    const fourth = await next(spa, third.refreshToken);
    expectTokenError(await spa.refresh(first.refreshToken), 'invalid_grant');
    await expectEnded(spa, fourth.refreshToken, fourth.accessToken);
  });

  it('an end of the grant by replay leaves the session and other grants', async () => {
    const browser = await signedIn(service, user);
    const other = await web.logIn(browser, user);
    const first = await spa.logIn(browser, user);
    const successor = await next(spa, first.refreshToken);
    await next(spa, successor.refreshToken);
    service.advance(31 * SECOND_MS);
    expectTokenError(await spa.refresh(first.refreshToken), 'invalid_grant');
    await next(web, other.refreshToken);
    await spa.logIn(browser, user, { prompt: 'none' });
  });

  it('a forged generation or verifier ends nothing', async () => {
    const { refreshToken } = await begin(spa);
    const parts = refreshToken.split('.');
    for (const index of parts.keys())
      for (const value of ['', '0', '1', '2', '999999999', 'x', `${parts[index]}x`]) {
        const forged = parts.with(index, value).join('.');
        if (forged !== refreshToken) expectTokenError(await spa.refresh(forged), 'invalid_grant');
      }
    await next(spa, refreshToken);
  });

  it('the scope of the grant stays after it was narrowed', async () => {
    const { refreshToken } = await begin(web, { scope: 'openid profile email' });
    expect((await next(web, refreshToken, { scope: 'email openid' })).response.body.scope).toBe('openid email');
    expectTokenError(await web.refresh(refreshToken, { scope: 'openid roles' }), 'invalid_scope');
    expect((await next(web, refreshToken)).response.body.scope).toBe('openid profile email');
  });

  it('an unused refresh token ends after refreshTokenIdle, a used one after refreshTokenLifetime', async () => {
    const brief = await service.party({ firstParty: true, refreshTokenIdle: 3_600, refreshTokenLifetime: 10_800 });
    const scope = 'openid offline_access';
    const [idle, used] = [
      await brief.logIn(openBrowser(service), user, { scope }),
      await brief.logIn(openBrowser(service), user, { scope }),
    ];
    service.advance(3_599 * SECOND_MS);
    await next(brief, used.refreshToken);
    service.advance(SECOND_MS);
    expectTokenError(await brief.refresh(idle.refreshToken), 'invalid_grant');
    service.advance(3_598 * SECOND_MS);
    await next(brief, used.refreshToken);
    service.advance(3_599 * SECOND_MS);
    await next(brief, used.refreshToken);
    service.advance(4 * SECOND_MS);
    expectTokenError(await brief.refresh(used.refreshToken), 'invalid_grant');
  });

  it('a refresh of a grant without offline_access slides the idle window of its session', async () => {
    const browser = await signedIn(service, user);
    const { refreshToken } = await web.logIn(browser, user);
    for (let days = 0; days < 3; days += 1) {
      service.advance(0.9 * DAY_MS);
      await next(web, refreshToken);
    }
    const refreshed = await browser.send('POST', 'https://login.example.com/api/v1/auth/refresh');
    expect(refreshed.status).toBe(200);
    service.advance(DAY_MS);
    expectTokenError(await web.refresh(refreshToken), 'invalid_grant');
  });
});
