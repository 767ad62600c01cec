// Which accounts an application serves: those of its tenant, or of all tenants that share applications.
import { describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { expectError, expectTokenError } from '../../support/oauth/party.ts';
import {
  continueRequest,
  openedService,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';

rememberPasswords();

describe.each(DIAGONAL)('tenants, $engine over $transport', (kind) => {
  const service = openedService(kind);

  const isServed = async (party: ServiceParty, user: ServiceUser): Promise<boolean> => {
    const browser = await signedIn(service, user);
    const { request: _, ...silent } = await party.authorize(browser, { prompt: 'none' });
    const { request: __, ...outcome } = await party.authorize(openBrowser(service));
    if (outcome.kind !== 'page') throw new Error('not a page');
    const continued = await continueRequest(service, browser, outcome.url, 'ALLOW');
    expect([200, 403]).toContain(continued.status);
    if (continued.status === 403) expectError(silent, 'login_required');
    else expect(silent.kind === 'callback' && silent.parameters.has('code')).toBe(true);
    return continued.status === 200;
  };

  it('an application of a tenant serves its accounts alone', async () => {
    const party = await service.party({ firstParty: true });
    expect(await isServed(party, await service.user())).toBe(true);
    expect(await isServed(party, await service.user({ tenantId: 'globex' }))).toBe(false);
    const root = await service.user({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    expect(await isServed(party, root)).toBe(false);
  });

  it('an application for all tenants serves those that share applications, and no SUPER_ADMIN', async () => {
    const shared = await service.party({ firstParty: true, tenantId: undefined });
    expect(await isServed(shared, await service.user())).toBe(true);
    const user = await service.user({ tenantId: 'private' });
    expect(await isServed(shared, user)).toBe(true);
    const tokens = await shared.logIn(await signedIn(service, user), user, { scope: 'openid offline_access' });
    const root = await service.root();
    expect((await root.patch('/tenants/private/policy', { sharedApplications: false })).status).toBe(200);
    expect(await isServed(shared, user)).toBe(false);
    expectTokenError(await shared.refresh(tokens.refreshToken), 'invalid_grant');
    const admin = await service.user({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    expect(await isServed(shared, admin)).toBe(false);
  });

  it('login_hint does not change whom an application serves (zitadel 8588)', async () => {
    const party = await service.party({ firstParty: true });
    const foreign = await service.user({ tenantId: 'globex' });
    const browser = await signedIn(service, foreign);
    const { request: _, ...outcome } = await party.authorize(browser, { login_hint: foreign.username });
    expect(outcome.kind).toBe('page');
    if (outcome.kind === 'page')
      expect((await continueRequest(service, browser, outcome.url, 'ALLOW')).status).toBe(403);
  });

  it('the page names the tenant of the application, and none if it is for all', async () => {
    const pageOf = async (party: ServiceParty) => {
      const { request: _, ...outcome } = await party.authorize(openBrowser(service));
      if (outcome.kind !== 'page') throw new Error('not a page');
      const id = new URL(outcome.url).searchParams.get('request');
      return (await service.send('GET', `${service.issuer}/api/v1/auth/oauth2/requests/${id}`)).body.application;
    };
    const homeUrl = 'https://wiki.example.com/';
    expect(await pageOf(await service.party({ homeUrl }))).toEqual({
      name: 'Wiki',
      firstParty: false,
      tenantName: 'acme',
      homeUrl,
    });
    expect(await pageOf(await service.party({ tenantId: undefined, firstParty: true }))).toEqual({
      name: 'Wiki',
      firstParty: true,
    });
  });
});
