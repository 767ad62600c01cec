// How much callers without a session can store, and how often they can guess.
import { describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { expectTokenError, random } from '../../support/oauth/party.ts';
import { openedService, signedIn } from '../../support/oauth/service.ts';

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
