// DELETE of an application: all that users have allowed it ends at once, at the other process.
import { decodeJwt } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { API } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openEvents, type EventStream } from '../../support/event-stream.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { expectTokenError } from '../../support/oauth/party.ts';
import {
  callerOf,
  continueRequest,
  ISSUER,
  openedServices,
  requestIdOf,
  signedIn,
  type ServiceParty,
} from '../../support/oauth/service.ts';
import { bearer } from '../../support/rest-client.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

rememberPasswords();

const OFFLINE = { scope: 'openid offline_access' };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  // `second` serves the deletion, `service` what is checked after it.
  const [service, second] = openedServices(kind);
  let stream: EventStream | undefined;
  afterEach(() => stream?.close());

  const remove = async ({ client }: ServiceParty) => {
    const root = await second.root();
    expect((await root.delete(`/applications/${client.applicationId}`)).status).toBe(204);
  };
  const push = async (party: ServiceParty) => {
    const url = service.metadata['pushed_authorization_request_endpoint'] as string;
    return party.token(Object.fromEntries(party.request().parameters), undefined, url);
  };

  it('ends grants, codes, consents, and open and pushed requests', async () => {
    const party = await service.party({ type: 'SPA', clientId: 'gone' });
    const user = await service.user();
    const browser = await signedIn(service, user);
    const bound = await party.logIn(browser, user);
    const offline = await party.logIn(browser, user, OFFLINE);
    const code = await party.signIn(browser, user);
    const { url, ...open } = (await party.authorize(openBrowser(service))) as { kind: string; url: string };
    expect(open.kind).toBe('page');
    const pushed = await push(party);
    expect(pushed.status).toBe(201);

    await remove(party);
    const introspector = await seedClient(service.deployment.database);
    for (const { accessToken, refreshToken } of [bound, offline]) {
      expect((await party.userinfo(accessToken)).status).toBe(401);
      for (const token of [accessToken, refreshToken]) {
        const form = { token, client_id: introspector.id, client_secret: introspector.secret };
        const seen = await party.token(form, null, service.metadata['introspection_endpoint']);
        expect(seen.body).toEqual({ active: false });
      }
      expectTokenError(await party.refresh(refreshToken), 'invalid_client', 401);
    }
    expectTokenError(await party.redeem(code), 'invalid_client', 401);
    const request = `${ISSUER}${API}/auth/oauth2/requests/${requestIdOf(url)}`;
    expect((await service.send('GET', request)).status).toBe(404);
    for (const decision of [undefined, 'ALLOW', 'DENY'])
      expect((await continueRequest(service, browser, url, decision)).status).toBe(404);
    const query = new URLSearchParams({ client_id: 'gone', request_uri: pushed.body.request_uri });
    const page = await browser.visit(`${service.metadata['authorization_endpoint']}?${query.toString()}`);
    expect([page.kind, page.response.status]).toEqual(['error-page', 400]);
    expectTokenError(await push(party), 'invalid_client', 401);
    expect((await callerOf(service, browser).get('/account/grants')).body).toEqual([]);
  });

  it('an application that gets its client id has nothing of it', async () => {
    const fields = { type: 'SPA', clientId: 'again' };
    const party = await service.party(fields);
    const user = await service.user();
    const browser = await signedIn(service, user);
    const { refreshToken, accessToken } = await party.logIn(browser, user, OFFLINE);
    const code = await party.signIn(browser, user);
    const { url } = (await party.authorize(openBrowser(service))) as { url: string };
    const pushed = await push(party);
    await remove(party);
    const heir = await service.party(fields);
    expectTokenError(await heir.refresh(refreshToken), 'invalid_grant');
    expectTokenError(await heir.redeem(code), 'invalid_grant');
    expect((await heir.userinfo(accessToken)).status).toBe(401);
    expect((await continueRequest(service, browser, url, 'ALLOW')).status).toBe(404);
    const query = new URLSearchParams({ client_id: 'again', request_uri: pushed.body.request_uri });
    expect((await browser.visit(`${service.metadata['authorization_endpoint']}?${query.toString()}`)).kind).toBe('error-page');
    const fresh = (await heir.authorize(openBrowser(service))) as { url: string };
    expect((await continueRequest(service, browser, fresh.url)).body).toHaveProperty('consentRequired');
  });

  it('shows the feed the grants whose tokens have not expired', async () => {
    const party = await service.party();
    const user = await service.user();
    const browser = await signedIn(service, user);
    const late = await party.logIn(browser, user);
    service.advance(901_000);
    const grants = [await party.logIn(browser, user), await party.logIn(browser, user, OFFLINE)];
    const server = await seedClient(service.deployment.database, {
      tenantId: 'watchers',
      resourceServer: true,
      roles: ['TENANT_USER'],
    });
    const { access_token: token } = (await tokenClient(service.deployment.url).byForm(server)).body;
    const followed = await openEvents(`${service.deployment.url}${API}/auth/revocations`, bearer(token));
    stream = followed;
    await followed.find('snapshot-end');
    await remove(party);
    for (const { accessToken } of grants) {
      const { gid, exp } = decodeJwt(accessToken);
      const event = await followed.find('grant', String(gid));
      expect(event.data).toEqual({ id: gid, until: new Date(exp! * 1_000).toISOString() });
    }
    const { database } = service.deployment;
    const revoked = await database.query<{ id: string }>('SELECT HEX(subject) AS id FROM revocations WHERE kind = ?', [
      'grant',
    ]);
    const expired = String(decodeJwt(late.accessToken)['gid']).replaceAll('-', '').toUpperCase();
    expect(revoked.map(({ id }) => id)).not.toContain(expired);
  });
});
