// What a request of the page depends on beside its answer: an earlier consent, and the states of tenant and account. In both disclosure modes.
import { describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { expectError } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { problem } from '../../support/problems.ts';
import { continueRequest, openedService, signedIn, type ServiceParty } from '../../support/oauth/service.ts';

rememberPasswords();

const PATH = expect.stringMatching(/^\/api\/v1\/auth\/oauth2\/requests\//) as unknown as string;
/** Each mode once, and each engine and transport once: no test depends on both. */
const CASES = (['maximal', 'minimal'] as const).map((mode, index) => ({ mode, ...DIAGONAL[index % DIAGONAL.length]! }));

describe.each(CASES)('continuation, $mode disclosure, $engine over $transport', ({ mode, ...kind }) => {
  const service = openedService({ ...kind, settings: { 'app.api.error-disclosure.mode': mode } });

  /** Opens a request. Returns the URL of its page. */
  const open = async (party: ServiceParty, more = {}, browser = openBrowser(service)) => {
    const { request: _, ...outcome } = await party.authorize(browser, more);
    if (outcome.kind !== 'page') throw new Error('not a page');
    return outcome.url;
  };
  const proceed = (browser: Browser, url: string, decision?: string) =>
    continueRequest(service, browser, url, decision);

  it('a request without any scope needs a consent, too: its tokens name the account', async () => {
    const party = await service.party();
    const browser = await signedIn(service, await service.user());
    const silent = async (scope?: string) => {
      const { request: _, ...outcome } = await party.authorize(browser, { scope, prompt: 'none' });
      return outcome;
    };
    expectError(await silent(), 'consent_required');
    const url = await open(party, { scope: undefined }, browser);
    expect((await proceed(browser, url)).body).toEqual({ consentRequired: { scopes: [] } });
    expect((await proceed(browser, url, 'ALLOW')).body).toEqual({ redirectTo: expect.stringContaining('code=') });
    for (const scope of [undefined, 'openid', 'unknown']) {
      const outcome = await silent(scope);
      expect(outcome.kind === 'callback' && outcome.parameters.has('code')).toBe(true);
    }
    expectError(await silent('email'), 'consent_required');
  });

  it('a suspended tenant and a disabled account continue nothing while it lasts', async () => {
    const user = await service.user({ tenantId: 'paused' });
    const party = await service.party({ tenantId: 'paused', firstParty: true });
    const url = await open(party);
    const root = await service.root();
    for (const [off, on] of [
      ['/tenants/paused/suspend', '/tenants/paused/activate'],
      [`/users/${user.sub}/disable`, `/users/${user.sub}/enable`],
    ] as const) {
      const browser = await signedIn(service, user);
      expect((await root.post(off)).status).toBe(200);
      expect([401, 403, 404]).toContain((await proceed(browser, url, 'ALLOW')).status);
      expect((await root.post(on)).status).toBe(200);
    }
    const { body } = await proceed(await signedIn(service, user), url);
    expect(body).toEqual({ redirectTo: expect.stringContaining('code=') });
  });

  it('the errors have codes that the page reads: 401, 403, 404, and 400 without a decision', async () => {
    const party = await service.party();
    const native = await service.party({ type: 'NATIVE', redirectUris: ['com.example:/cb'] });
    const browser = await signedIn(service, await service.user());
    const foreign = await signedIn(service, await service.user({ tenantId: 'globex' }));
    const url = await open(party);
    expect(await proceed(openBrowser(service), url)).toEqual(problem(401, 'unauthorized', PATH));
    expect(await proceed(foreign, url)).toEqual(problem(403, 'permission-denied', PATH));
    expect(await proceed(browser, `${url}x`)).toEqual(problem(404, 'not-found', PATH));
    expect(await proceed(browser, await open(native))).toEqual(problem(400, 'validation-error', PATH));
  });
});
