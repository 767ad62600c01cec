// The device authorization grant (RFC 8628): a device asks, its user decides in a browser, and the device polls for its tokens.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { untilServed } from '../../support/at-once.ts';
import { API } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { formOf, openBrowser } from '../../support/oauth/browser.ts';
import { expectTokenError, partyOf, toForm, type Parameters } from '../../support/oauth/party.ts';
import type { Browser, User } from '../../support/oauth/provider.ts';
import {
  callerOf,
  ISSUER,
  openedServices,
  signedIn,
  type Service,
  type ServiceParty,
} from '../../support/oauth/service.ts';
import { bearer } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { seedSession } from '../../support/sessions.ts';
import { setUpTotp } from '../../support/totp.ts';

rememberPasswords();

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
const PATH = '/auth/oauth2/device-requests';
const OURS = 'my-shop';
const WRONG = 'BBBB-BBBB';
const USER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/;

const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const [service, beside] = openedServices(kind);
  let party: ServiceParty;
  beforeAll(async () => (party = await service.party({ deviceGrant: true, name: 'Television' })));

  const start = (of: Pick<ServiceParty, 'token'>, more: Parameters = {}) =>
    of.token({ scope: 'openid', ...more }, undefined, `${ISSUER}${API}/auth/oauth2/device`);
  const poll = (of: Pick<ServiceParty, 'token'>, deviceCode: string, more: Parameters = {}) =>
    of.token({ grant_type: DEVICE_CODE, device_code: deviceCode, ...more });
  const show = (browser: Browser, userCode: string, at: Service = service) =>
    callerOf(at, browser).post(PATH, { userCode });
  const decide = (browser: Browser, userCode: string, decision: string, at: Service = service) =>
    callerOf(at, browser).post(`${PATH}/decision`, { userCode, decision });
  const someone = async (user?: User) => signedIn(service, user ?? (await service.user()));

  /** A device that its user has allowed. */
  async function allowed(browser: Browser, more: Parameters = {}, of: Pick<ServiceParty, 'token'> = party) {
    const device = (await start(of, more)).body;
    expect((await decide(browser, device.user_code, 'ALLOW')).status).toBe(204);
    return device as { device_code: string; user_code: string };
  }

  it('answers with two codes, the page, and how often to ask', async () => {
    const { status, body, headers } = await start(party);
    expect([status, body, headers.get('cache-control')]).toEqual([
      200,
      {
        device_code: expect.stringMatching(/^[\w-]{43}$/),
        user_code: expect.stringMatching(USER_CODE),
        verification_uri: `${ISSUER}/device`,
        verification_uri_complete: `${ISSUER}/device?user_code=${body.user_code}`,
        expires_in: 600,
        interval: 5,
      },
      'no-store',
    ]);
    expect(service.metadata).toMatchObject({
      device_authorization_endpoint: `${ISSUER}${API}/auth/oauth2/device`,
      grant_types_supported: expect.arrayContaining([DEVICE_CODE]),
    });
  });

  it('is for clients that may have it, and authenticate, and ask for no resource', async () => {
    expectTokenError(await start(await service.party()), 'unauthorized_client');
    const url = `${ISSUER}${API}/auth/oauth2/device`;
    expectTokenError(await party.token({}, null, url), 'invalid_request');
    const wrong = partyOf(service, { ...party.client, secret: 'wrong' });
    expectTokenError(await start(wrong), 'invalid_client', 401);
    expectTokenError(await start(party, { resource: 'https://api.example.com' }), 'invalid_target');
    const json = { headers: { 'content-type': 'application/json' }, body: '{}' };
    expect((await service.send('POST', url, json)).body.error).toBe('invalid_request');
  });

  it('gives the tokens of the user who allows it, once; a second success revokes the grant', async () => {
    const user = await service.user();
    const browser = await someone(user);
    const device = (await start(party, { scope: 'openid email unknown' })).body;
    expectTokenError(await poll(party, device.device_code), 'authorization_pending');
    const shown = await show(browser, device.user_code.toLowerCase().replace('-', ' '));
    expect([shown.status, shown.body]).toEqual([
      200,
      {
        application: { name: 'Television', firstParty: false, tenantName: expect.any(String) },
        scopes: ['openid', 'email'],
        network: expect.any(String),
        createdAt: expect.any(String),
      },
    ]);
    const decided = await decide(browser, device.user_code, 'ALLOW');
    expect([decided.status, decided.text]).toEqual([204, '']);
    expect((await show(browser, device.user_code)).status).toBe(404);
    expect((await decide(browser, device.user_code, 'DENY')).status).toBe(404);
    const tokens = await party.tokensOf(await poll(party.at(beside), device.device_code));
    expect(tokens.claims).toMatchObject({ sub: user.sub, email: user.email, acr: '1' });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ aud: ISSUER, sid: expect.any(String) });
    expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
    expectTokenError(await poll(party, device.device_code), 'invalid_grant');
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expectTokenError(await party.refresh(tokens.refreshToken), 'invalid_grant');
  });

  it('tells a device that its user has denied it', async () => {
    const browser = await someone();
    const device = (await start(party)).body;
    expect((await decide(browser, device.user_code, 'DENY')).status).toBe(204);
    expectTokenError(await poll(party.at(beside), device.device_code), 'access_denied');
    expectTokenError(await poll(party, device.device_code), 'access_denied');
    expect((await show(browser, device.user_code)).status).toBe(404);
    const admin = await service.admin();
    const { body } = await admin.get('/audit-records?events=device.denied&perPage=1');
    expect(body[0]).toMatchObject({ event: 'device.denied', details: { clientId: party.client.id } });
  });

  it('slows down a device that asks too often, on each process, by 5 s more each time', async () => {
    const { device_code: code } = (await start(party)).body;
    const next = async (at: Service, afterMs: number) => {
      service.advance(afterMs);
      return (await poll(party.at(at), code)).body.error;
    };
    expect(await next(service, 0)).toBe('authorization_pending');
    expect(await next(beside, 1_000)).toBe('slow_down');
    expect(await next(service, 9_000)).toBe('slow_down');
    expect(await next(beside, 15_000)).toBe('authorization_pending');
  });

  it('answers one of parallel polls with pending, and the others with slow_down', async () => {
    const { device_code: code } = (await start(party)).body;
    const polls = Array.from({ length: 6 }, () => [service, beside].map((at) => poll(party.at(at), code)));
    const errors = (await Promise.all(polls.flat())).map(({ body }) => String(body.error));
    expect(errors.toSorted((one, other) => one.localeCompare(other))).toEqual([
      'authorization_pending',
      ...Array<string>(11).fill('slow_down'),
    ]);
  });

  it('gives one of parallel polls the tokens, and the others revoke them', async () => {
    const { device_code: code } = await allowed(await someone());
    const polls = [service, beside, service, beside].map((at) => poll(party.at(at), code));
    const responses = await Promise.all(polls);
    const [success, ...others] = responses.filter(({ status }) => status === 200);
    expect([success?.status, others]).toEqual([200, []]);
    expect((await party.userinfo(success!.body.access_token)).status).toBe(401);
  });

  it.each(rounds)('an approval and a denial at once: one of them counts, round %i', async () => {
    const { device_code: deviceCode, user_code: userCode } = (await start(party)).body;
    const [one, other] = [await someone(), await someone()];
    const decisions = await Promise.all([
      untilServed(() => decide(one, userCode, 'ALLOW')),
      untilServed(() => decide(other, userCode, 'DENY', beside)),
    ]);
    const [approved, denied] = decisions.map(({ status }) => status);
    expect([
      [204, 404],
      [404, 204],
    ]).toContainEqual([approved, denied]);
    const polled = await poll(party, deviceCode);
    if (approved === 204) await party.tokensOf(polled);
    else expectTokenError(polled, 'access_denied');
  });

  it('expires after ten minutes, also if it was allowed', async () => {
    const browser = await someone();
    const device = await allowed(browser);
    const waiting = (await start(party)).body;
    service.advance(600_000);
    expectTokenError(await poll(party, device.device_code), 'expired_token');
    expectTokenError(await poll(party, waiting.device_code), 'expired_token');
    expect((await show(await someone(), waiting.user_code)).status).toBe(404);
  });

  it('knows a device code from another code, and of another client', async () => {
    const browser = await someone();
    const device = await allowed(browser);
    const other = await service.party({ deviceGrant: true });
    expectTokenError(await poll(other, device.device_code), 'invalid_grant');
    expectTokenError(await poll(party, 'x'.repeat(43)), 'invalid_grant');
    expectTokenError(await party.token({ grant_type: DEVICE_CODE }), 'invalid_request');
    const authorized = await party.signIn(browser, browser.user!);
    expectTokenError(await poll(party, authorized.code), 'invalid_grant');
    expectTokenError(
      await party.token({ grant_type: 'authorization_code', code: device.device_code, redirect_uri: '' }),
      'invalid_grant',
    );
    expect((await poll(party, device.device_code)).status).toBe(200);
    expect((await party.redeem(authorized)).status).toBe(200);
  });

  it('judges the account again when the device gets its tokens', async () => {
    const user = await service.user();
    const device = await allowed(await someone(user));
    const admin = await service.admin();
    expect((await admin.post(`/users/${user.account.id}/disable`)).status).toBe(200);
    expectTokenError(await poll(party, device.device_code), 'invalid_grant');
  });

  it('ends with the session that has allowed it, unless it is offline', async () => {
    const browser = await someone();
    const bound = await party.tokensOf(await poll(party, (await allowed(browser)).device_code));
    const offline = await allowed(browser, { scope: 'openid offline_access' });
    const kept = await party.tokensOf(await poll(party, offline.device_code));
    const late = await allowed(browser);
    await browser.send('POST', `${ISSUER}${API}/auth/logout`, { headers: bearer(browser.accessToken) });
    expectTokenError(await party.refresh(bound.refreshToken), 'invalid_grant');
    expectTokenError(await poll(party, late.device_code), 'invalid_grant');
    expect((await party.refresh(kept.refreshToken)).status).toBe(200);
  });

  it('is not decided in a session that lacks the factor of the application', async () => {
    const strict = await service.party({ deviceGrant: true, requiredAcr: 'mfa' });
    const device = (await start(strict)).body;
    const browser = await someone();
    const refused = await decide(browser, device.user_code, 'ALLOW');
    expect([refused.status, refused.body.errorCode, refused.body.methods]).toEqual([401, 'fresh-session-required', []]);
    await setUpTotp(callerOf(service, browser), service.deployment.clock);
    expect((await decide(browser, device.user_code, 'ALLOW')).status).toBe(204);
    const { claims } = await strict.tokensOf(await poll(strict, device.device_code));
    expect(claims['acr']).toBe('mfa');
    const stricter = await service.party({ deviceGrant: true, requiredAcr: 'phr' });
    const { body } = await decide(browser, (await start(stricter)).body.user_code, 'ALLOW');
    // A code of the app would not suffice.
    expect(body).toMatchObject({ errorCode: 'fresh-session-required', methods: [] });
  });

  it('is decided by an account that the application serves, with a fresh session', async () => {
    const device = (await start(party)).body;
    const stranger = await someone(await service.user({ tenantId: 'globex' }));
    expect((await decide(stranger, device.user_code, 'ALLOW')).status).toBe(403);
    const browser = await someone();
    const { accessToken } = await seedSession(service.deployment, (await service.user()).account, 3_600_000);
    const stale = await decide({ ...browser, accessToken }, device.user_code, 'ALLOW');
    expect([stale.status, stale.body.errorCode]).toEqual([401, 'fresh-session-required']);
    expect((await decide(browser, device.user_code, 'LATER')).status).toBe(400);
    expect((await decide(await someone(), device.user_code, 'ALLOW')).status).toBe(204);
  });

  it('is not decided by the token of an application', async () => {
    const own = await service.party({ firstParty: true, resources: [OURS] });
    const browser = openBrowser(service);
    const tokens = await own.logIn(browser, await service.user(), { resource: OURS });
    const device = (await start(party)).body;
    browser.accessToken = tokens.accessToken;
    expect((await show(browser, device.user_code)).status).toBe(403);
    expect((await decide(browser, device.user_code, 'ALLOW')).status).toBe(403);
  });

  it('has no resource later, either', async () => {
    const resource = 'https://api.example.com';
    const own = await service.party({ deviceGrant: true, resources: [resource] });
    const browser = await someone();
    const device = await allowed(browser, {}, own);
    expectTokenError(await poll(own, device.device_code, { resource }), 'invalid_target');
    const tokens = await own.tokensOf(await poll(own, device.device_code));
    expectTokenError(await own.refresh(tokens.refreshToken, { resource }), 'invalid_target');
    const { accessToken } = await own.tokensOf(await own.refresh(tokens.refreshToken));
    expect(decodeJwt(accessToken).aud).toBe(ISSUER);
  });

  it('lets the command line have our audience, then without offline_access', async () => {
    const cli = partyOf(service, {
      id: 'authservice-cli',
      type: 'NATIVE',
      authentication: 'none',
      secret: undefined,
      key: undefined,
      redirectUri: '',
    });
    const browser = await someone();
    const device = await allowed(browser, { scope: 'openid offline_access', resource: OURS }, cli);
    const { body } = await poll(cli, device.device_code);
    expect(body.scope).toBe('openid');
    const me = await service.send('GET', `${ISSUER}${API}/auth/me`, { headers: bearer(body.access_token) });
    expect([me.status, decodeJwt(body.access_token).aud]).toEqual([200, OURS]);
    expectTokenError(await start(cli, { resource: 'other' }), 'invalid_target');
    const offline = await allowed(browser, { scope: 'openid offline_access' }, cli);
    const kept = (await poll(cli, offline.device_code)).body;
    expect(kept.scope).toBe('openid offline_access');
    expectTokenError(await cli.refresh(kept.refresh_token, { resource: OURS }), 'invalid_target');
  });

  it('lets an account guess five times, on all processes together', async () => {
    const browser = await someone();
    const device = (await start(party)).body;
    const guesses = [service, beside, service, beside, service].map((at) => show(browser, WRONG, at));
    expect((await Promise.all(guesses)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    for (const refused of [
      await show(browser, device.user_code, beside),
      await decide(browser, device.user_code, 'ALLOW'),
    ])
      expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect((await show(await someone(), device.user_code)).status).toBe(200);
    service.advance(900_000);
    expect((await show(await someone(browser.user), WRONG)).status).toBe(404);
  });

  it('lets a network guess thirty times, whatever the account', async () => {
    service.advance(900_000);
    const device = (await start(party)).body;
    for (let accounts = 0; accounts < 6; accounts += 1) {
      const browser = await someone();
      for (let guesses = 0; guesses < 5; guesses += 1) expect((await show(browser, WRONG, beside)).status).toBe(404);
    }
    expect((await show(await someone(), device.user_code)).status).toBe(429);
    service.advance(900_000);
    expect((await show(await someone(), WRONG)).status).toBe(404);
  });

  it('remembers the consent, and forgets an allowed device with it', async () => {
    const browser = await someone();
    const caller = callerOf(service, browser);
    const other = await service.party({ deviceGrant: true });
    await other.tokensOf(await poll(other, (await allowed(browser, {}, other)).device_code));
    const waiting = await allowed(browser, {}, other);
    const [{ id }] = (await caller.get('/account/grants')).body;
    expect((await caller.delete(`/account/grants/${id}`)).status).toBe(204);
    expectTokenError(await poll(other, waiting.device_code), 'invalid_grant');
  });

  it('counts among the requests that are open', async () => {
    const device = (await start(party)).body;
    const query = () =>
      service.deployment.database.query<{ total: number }>('SELECT COUNT(*) AS total FROM authorization_requests');
    const [{ total: before } = { total: 0 }] = await query();
    await decide(await someone(), device.user_code, 'ALLOW');
    const [{ total: after } = { total: 0 }] = await query();
    expect(before - after).toBe(1);
  });

  it('answers a form at the endpoint with CORS', async () => {
    const { headers, ...form } = formOf(toForm({ client_id: 'nobody' }));
    const response = await service.send('POST', `${ISSUER}${API}/auth/oauth2/device`, {
      ...form,
      headers: { ...headers, origin: 'https://spa.example.com' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});
