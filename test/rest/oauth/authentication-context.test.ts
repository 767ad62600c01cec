// Which authentication an application needs (`requiredAcr`), asks for (`acr_values`), and how a session comes to it.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { seedPasskeyOwner } from '../../support/factor-users.ts';
import { seedTotp } from '../../support/factors.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { authorizedBy, expectError, type Parameters } from '../../support/oauth/party.ts';
import type { Browser, Outcome } from '../../support/oauth/provider.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import {
  callerOf,
  continueRequest,
  openedService,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';
import { seedSession } from '../../support/sessions.ts';
import { setUpTotp } from '../../support/totp.ts';

rememberPasswords();

describe.each(DIAGONAL)('authentication context, $engine over $transport', (kind) => {
  const service = openedService(kind);
  let free: ServiceParty;
  let strict: ServiceParty;
  beforeAll(async () => {
    free = await service.party({ firstParty: true });
    strict = await service.party({ firstParty: true, requiredAcr: 'mfa' });
  });

  const open = async (by: ServiceParty, more: Parameters = {}) => {
    const { request, ...outcome } = await by.authorize(openBrowser(service), more);
    if (outcome.kind !== 'page') throw new Error('not a page');
    return { request, url: outcome.url };
  };
  const proceed = (browser: Browser, url: string, decision?: string) =>
    continueRequest(service, browser, url, decision);
  const outcomeOf = (response: RestResponse): Outcome => {
    const location = response.body.redirectTo as string;
    expect([response.status, location]).toEqual([200, expect.any(String)]);
    return { kind: 'callback', location, parameters: new URL(location).searchParams, response };
  };
  /** A browser with a session by password alone, whatever factors the account has. */
  const byPassword = async (account: Account): Promise<Browser> => {
    const browser = openBrowser(service);
    browser.accessToken = (await seedSession(service.deployment, account)).accessToken;
    const { id: sub, username, name } = account;
    browser.user = { account, sub, username, name, email: '' } as ServiceUser;
    return browser;
  };
  const methodsOf = async (browser: Browser, url: string) =>
    (await proceed(browser, url)).body.confirmationRequired?.methods;

  it('requiredAcr that an account cannot meet offers to enrol, then is unmet_authentication_requirements', async () => {
    const browser = await signedIn(service, await service.user());
    const { request, url } = await open(strict);
    expect(await methodsOf(browser, url)).toEqual([]);
    expectError(outcomeOf(await proceed(browser, url, 'ALLOW')), 'unmet_authentication_requirements', request.state);
    expect((await proceed(browser, url)).status).toBe(404);
  });

  it('requiredAcr is met after an enrolment in the session', async () => {
    const browser = await signedIn(service, await service.user());
    const { request, url } = await open(strict);
    expect(await methodsOf(browser, url)).toEqual([]);
    await setUpTotp(callerOf(service, browser), service.deployment.clock);
    const authorized = authorizedBy(outcomeOf(await proceed(browser, url)), request);
    const { claims } = await strict.tokensOf(await strict.redeem(authorized), request.nonce);
    expect(claims['acr']).toBe('mfa');
  });

  it.each<[what: string, by: () => ServiceParty, more: Parameters]>([
    ['requiredAcr', () => strict, {}],
    ['acr_values', () => free, { acr_values: 'unknown mfa phr' }],
  ])('%s asks for the factor that the account has', async (_, by, more) => {
    const { account, code } = await seedTotp(service.deployment);
    const browser = await byPassword(account);
    const { request, url } = await open(by(), more);
    expect(await methodsOf(browser, url)).toEqual(['totp']);
    expect(await methodsOf(browser, url)).toEqual(['totp']);
    const confirmed = await callerOf(service, browser).post('/account/confirm', { totp: code() });
    expect(confirmed.status).toBe(200);
    browser.accessToken = confirmed.body.accessToken;
    const authorized = authorizedBy(outcomeOf(await proceed(browser, url)), request);
    const { claims } = await by().tokensOf(await by().redeem(authorized), request.nonce);
    expect(claims).toMatchObject({ acr: 'mfa', amr: expect.arrayContaining(['pwd', 'otp', 'mfa']) });
  });

  it('acr_values that the account cannot meet changes nothing, and acr tells the truth', async () => {
    for (const acrValues of ['mfa', 'phr', 'phr mfa', 'urn:unknown', '1']) {
      const { claims } = await free.logIn(openBrowser(service), await service.user(), { acr_values: acrValues });
      expect(claims['acr']).toBe('1');
    }
  });

  it('acr_values=phr is not asked of an account with a TOTP alone', async () => {
    const { account } = await seedTotp(service.deployment);
    const browser = await byPassword(account);
    const { request, url } = await open(free, { acr_values: 'phr' });
    authorizedBy(outcomeOf(await proceed(browser, url)), request);
  });

  it.each(['phr', 'mfa'])('acr_values=%s is asked of an account with a passkey', async (acrValues) => {
    const { account } = await seedPasskeyOwner(service.deployment);
    const { url } = await open(free, { acr_values: acrValues });
    expect(await methodsOf(await byPassword(account), url)).toEqual(['passkey']);
  });

  it('prompt=login of an account with a factor is confirmed by the factor', async () => {
    const { account } = await seedTotp(service.deployment);
    const browser = await byPassword(account);
    service.advance(1_000);
    const { url } = await open(free, { prompt: 'login' });
    expect(await methodsOf(browser, url)).toEqual(['totp']);
  });
});
