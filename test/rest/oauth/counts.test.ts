// What operators see of applications: metrics.
import { describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { callerOf, openedService, signedIn } from '../../support/oauth/service.ts';
import { createGrantCount } from '../../../src/auth/oauth/grants/count-grants.ts';
import { pino } from 'pino';

rememberPasswords();

const OFFLINE = { scope: 'openid offline_access' };

describe.each(DIAGONAL)('counts, $engine over $transport', (kind) => {
  const service = openedService(kind);

  /** The values of a metric, by its labels. */
  const valuesOf = (name: string): Readonly<Record<string, number>> => {
    const samples = service.deployment.core.metrics.filter((one) => one.name === name).flatMap((one) => one.read());
    return Object.fromEntries(samples.map(({ labels = {}, value }) => [Object.values(labels).join(' '), value]));
  };
  const changesOf = async (name: string, act: () => Promise<unknown>) => {
    const before = valuesOf(name);
    await act();
    const changes = Object.entries(valuesOf(name)).map(([key, value]) => [key, value - (before[key] ?? 0)] as const);
    return Object.fromEntries(changes.filter(([, change]) => change !== 0));
  };

  it('authorizations by step and outcome', async () => {
    const party = await service.party();
    const user = await service.user();
    const changes = await changesOf('authorizations_total', async () => {
      await party.authorize(openBrowser(service), { prompt: 'none' });
      await party.authorize(openBrowser(service), { response_type: 'token' });
      await party.authorize(openBrowser(service), { redirect_uri: 'https://evil.example.com/' });
      const browser = await signedIn(service, user);
      await browser.finish(await party.authorize(browser), user, 'DENY');
      await party.signIn(browser, user);
      await party.signIn(browser, user);
    });
    expect(changes).toEqual({
      'request login_required': 1,
      'request unsupported_response_type': 1,
      'request error-page': 1,
      'request login': 2,
      'request code': 1,
      'page access_denied': 1,
      'page code': 1,
    });
  });

  it('token requests by grant type and outcome', async () => {
    const party = await service.party();
    const user = await service.user();
    const browser = await signedIn(service, user);
    const changes = await changesOf('oauth_token_requests_total', async () => {
      const authorized = await party.signIn(browser, user);
      const tokens = await party.tokensOf(await party.redeem(authorized));
      await party.refresh(tokens.refreshToken);
      await party.redeem(authorized);
      await party.refresh(tokens.refreshToken);
      await party.token({ grant_type: 'client_credentials' });
      await party.token({ grant_type: 'a grant type of the caller' });
    });
    expect(changes).toEqual({
      'authorization_code issued': 1,
      'authorization_code refused': 1,
      'refresh_token issued': 1,
      'refresh_token refused': 1,
      'client_credentials refused': 1,
    });
  });

  it('devices by what their users decide, and their polls', async () => {
    const party = await service.party({ deviceGrant: true });
    const browser = callerOf(service, await signedIn(service, await service.user()));
    const url = service.metadata['device_authorization_endpoint'];
    const start = async () => (await party.token({ scope: 'openid' }, undefined, url)).body;
    const poll = (code: string) =>
      party.token({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: code });
    const decide = (userCode: string, decision: string) =>
      browser.post('/auth/oauth2/device-requests/decision', { userCode, decision });
    let authorizations = {};
    const polls = await changesOf('oauth_token_requests_total', async () => {
      authorizations = await changesOf('authorizations_total', async () => {
        const [allowed, denied] = [await start(), await start()];
        await poll(allowed.device_code);
        await decide(allowed.user_code, 'ALLOW');
        await decide(denied.user_code, 'DENY');
        await poll(allowed.device_code);
        await poll(denied.device_code);
      });
    });
    expect(authorizations).toEqual({ 'device login': 2, 'device code': 1, 'device access_denied': 1 });
    expect(polls).toEqual({ 'device_code pending': 1, 'device_code issued': 1, 'device_code refused': 1 });
  });

  it('live grants, counted by a job: not those that are revoked, expired or over with their session', async () => {
    const { database, clock } = service.deployment;
    const count = createGrantCount({ database, clock: clock.now, log: pino({ level: 'silent' }) });
    const read = async () => {
      // The number is counted again after a while.
      service.advance(120_000);
      return count.job.run();
    };
    const before = (await read())!;
    const party = await service.party();
    const user = await service.user();
    const browser = await signedIn(service, user);
    await party.logIn(browser, user);
    await party.logIn(browser, user, OFFLINE);
    const revoked = await party.logIn(browser, user, OFFLINE);
    expect(await read()).toBe(before + 3);
    await party.token({ token: revoked.refreshToken }, undefined, service.metadata['revocation_endpoint']);
    expect(await read()).toBe(before + 2);
    await callerOf(service, browser).post('/auth/logout');
    expect(await read()).toBe(before + 1);
    await eventually(() => expect(count.metrics[0]!.read()).toEqual([{ value: before + 1 }]));
  });
});
