// What a resource server that follows the revocation feed sees of applications: each end of a grant, by a claim of its access token.
import { decodeJwt } from 'jose';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openEvents, type EventStream } from '../../support/event-stream.ts';
import type { Tokens } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import {
  callerOf,
  openedServices,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';
import { bearer } from '../../support/rest-client.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

rememberPasswords();

const OFFLINE = { scope: 'openid offline_access' };
const NEW_PASSWORD = 'A long enough password';

describe.each(DIAGONAL)('the feed, $engine over $transport', (kind) => {
  // `second` serves the ends, `service` the stream.
  const [service, second] = openedServices(kind);
  let party: ServiceParty;
  beforeAll(async () => {
    party = await service.party({ firstParty: true });
  });
  let streams: EventStream[] = [];
  afterEach(() => {
    for (const stream of streams) stream.close();
    streams = [];
  });

  interface Stage {
    readonly user: ServiceUser;
    readonly browser: Browser;
    readonly bound: Tokens;
    readonly offline: Tokens;
  }
  type End = readonly [what: string, end: (stage: Stage) => Promise<{ status: number }>];
  const stage = async (): Promise<Stage> => {
    const user = await service.user();
    const browser = await signedIn(service, user);
    const bound = await party.logIn(browser, user);
    return { user, browser, bound, offline: await party.logIn(browser, user, OFFLINE) };
  };
  const admin = () => second.admin();

  const follow = async (): Promise<EventStream> => {
    const server = await seedClient(service.deployment.database, {
      tenantId: 'watchers',
      resourceServer: true,
      roles: ['TENANT_USER'],
    });
    const { access_token: token } = (await tokenClient(service.deployment.url).byForm(server)).body;
    const stream = await openEvents(`${service.deployment.url}/api/v1/auth/revocations`, bearer(token));
    streams.push(stream);
    await stream.find('snapshot-end');
    return stream;
  };

  it('shows the end of a grant', async () => {
    const stream = await follow();
    const at = await stage();
    const gid = decodeJwt(at.offline.accessToken)['gid'] as string;
    const until = new Date(decodeJwt(at.offline.accessToken).exp! * 1_000).toISOString();
    expect((await callerOf(second, at.browser).delete(`/account/grants/${gid}`)).status).toBe(204);
    expect((await stream.find('grant', gid)).data).toEqual({ id: gid, until });
  });

  const grantOf = ({ accessToken }: Tokens) => decodeJwt(accessToken)['gid'] as string;

  it.each<End>([
    ['a logout, for the grant of the session', ({ browser }) => callerOf(second, browser).post('/auth/logout')],
    [
      'the end of all other sessions by the owner',
      async ({ user }) => callerOf(second, await signedIn(second, user)).delete('/account/sessions'),
    ],
    [
      'a changed password',
      async ({ user }) => (await admin()).put(`/users/${user.sub}/password`, { password: NEW_PASSWORD }),
    ],
    ['a deleted account', async ({ user }) => (await admin()).delete(`/users/${user.sub}`)],
  ])('shows what %s ends, by a claim of the token', async (what, end) => {
    const stream = await follow();
    const at = await stage();
    expect((await end(at)).status).toBeLessThan(300);
    const { sid } = decodeJwt(at.bound.accessToken);
    expect((await stream.find('session', sid as string)).data).toMatchObject({ id: sid });
    if (!what.startsWith('a logout')) await stream.find('grant', grantOf(at.offline));
  });

  it('shows the grants of a deleted application, to those who come later too', async () => {
    const victim = await service.party();
    const user = await service.user();
    const browser = await signedIn(service, user);
    const grants = [await victim.logIn(browser, user), await victim.logIn(browser, user, OFFLINE)].map(grantOf);
    const stream = await follow();
    expect((await (await second.root()).delete(`/applications/${victim.client.applicationId}`)).status).toBe(204);
    for (const grant of grants) expect((await stream.find('grant', grant)).data).toMatchObject({ id: grant });
    const later = await follow();
    for (const grant of grants) await later.find('grant', grant);
  });

  it('shows the replay of a code and of a refresh token', async () => {
    const stream = await follow();
    const at = await stage();
    const spa = await service.party({ type: 'SPA' });
    const authorized = await spa.signIn(at.browser, at.user);
    const byCode = await spa.tokensOf(await spa.redeem(authorized));
    await spa.at(second).redeem(authorized);
    await stream.find('grant', grantOf(byCode));
    const first = await spa.logIn(at.browser, at.user);
    const next = await spa.tokensOf(await spa.refresh(first.refreshToken));
    await spa.tokensOf(await spa.refresh(next.refreshToken));
    service.advance(31_000);
    await spa.at(second).refresh(first.refreshToken);
    await stream.find('grant', grantOf(first));
  });
});
