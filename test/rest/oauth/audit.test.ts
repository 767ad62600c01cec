// The audit records of applications, their grants and consents: each once, with its tenant, account, actor and client id.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import type { Tokens } from '../../support/oauth/party.ts';
import {
  callerOf,
  openedServices,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';

rememberPasswords();

const OFFLINE = { scope: 'openid offline_access' };
const EVENTS = [
  'application.created',
  'application.changed',
  'application.deleted',
  'grant.created',
  'grant.revoked',
  'grant.replayed',
  'code.replayed',
  'consent.given',
  'consent.revoked',
];

interface AuditRecord {
  readonly event: string;
  readonly tenantId?: string;
  readonly accountId?: string;
  readonly actorId?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

describe.each(DIAGONAL)('audit records, $engine over $transport', (kind) => {
  const [service, second] = openedServices(kind);
  let party: ServiceParty;
  beforeAll(async () => {
    party = await service.party();
  });

  interface Stage {
    readonly user: ServiceUser;
    readonly browser: Browser;
    readonly tokens: Tokens;
    readonly gid: string;
  }
  const stage = async (more = {}): Promise<Stage> => {
    const user = await service.user();
    const browser = await signedIn(service, user);
    const tokens = await party.logIn(browser, user, more);
    return { user, browser, tokens, gid: decodeJwt(tokens.accessToken)['gid'] as string };
  };
  /** The records of an account about applications, the oldest first, without what all have alike. */
  const recordsOf = async ({ sub }: ServiceUser) => {
    const filters = new URLSearchParams({ accountId: sub, perPage: '100' });
    for (const event of EVENTS) filters.append('events', event);
    const { status, body } = await (await service.admin()).get(`/audit-records?${filters.toString()}`);
    expect(status).toBe(200);
    return (body as AuditRecord[]).toReversed().map(({ event, tenantId, accountId, actorId, details }) => {
      expect([tenantId, accountId]).toEqual(['acme', sub]);
      const { application, clientId, ...others } = details;
      expect([application, clientId]).toEqual([party.client.applicationId, party.client.id]);
      return [event, actorId, others];
    });
  };
  const given = (gid: string, scopes: string) => [
    ['consent.given', undefined, { scopes }],
    ['grant.created', undefined, { grantId: gid, scopes }],
  ];

  it('of a first login, and of its end by the user', async () => {
    const { user, browser, gid } = await stage();
    await callerOf(service, browser).delete(`/account/grants/${gid}`);
    expect(await recordsOf(user)).toEqual([
      ...given(gid, 'openid'),
      ['grant.revoked', undefined, { grantId: gid }],
      ['consent.revoked', undefined, {}],
    ]);
  });

  it('of an end by an administrator, who is the actor', async () => {
    const { user, gid } = await stage();
    const admin = await second.admin();
    const path = `/users/${user.sub}/grants/${gid}`;
    expect((await admin.delete(`${path}?reason=${'x'.repeat(501)}`)).status).toBe(400);
    expect((await admin.delete(`${path}?reason=left`)).status).toBe(204);
    expect((await recordsOf(user)).slice(2)).toEqual([
      ['grant.revoked', admin.account.id, { grantId: gid, reason: 'left' }],
      ['consent.revoked', admin.account.id, { reason: 'left' }],
    ]);
  });

  it('of an end by the application, once', async () => {
    const { user, tokens, gid } = await stage();
    const revoke = () =>
      party.token({ token: tokens.refreshToken }, undefined, service.metadata['revocation_endpoint']);
    for (let times = 0; times < 2; times += 1) expect((await revoke()).status).toBe(200);
    expect((await recordsOf(user)).slice(2)).toEqual([
      ['grant.revoked', undefined, { grantId: gid, reason: 'application' }],
    ]);
  });

  it('of a replayed code, once, however often it is presented', async () => {
    const user = await service.user();
    const authorized = await party.signIn(await signedIn(service, user), user);
    const { accessToken } = await party.tokensOf(await party.redeem(authorized));
    const grantId = decodeJwt(accessToken)['gid'];
    await Promise.all([party.redeem(authorized), party.at(second).redeem(authorized)]);
    await party.redeem(authorized);
    expect((await recordsOf(user)).slice(2)).toEqual([['code.replayed', undefined, { grantId }]]);
  });

  it('of a replayed refresh token, once', async () => {
    party = await service.party({ type: 'SPA' });
    const { user, tokens, gid } = await stage();
    const next = await party.tokensOf(await party.refresh(tokens.refreshToken));
    await party.tokensOf(await party.refresh(next.refreshToken));
    service.advance(31_000);
    for (let times = 0; times < 2; times += 1) expect((await party.refresh(tokens.refreshToken)).status).toBe(400);
    expect((await recordsOf(user)).slice(2)).toEqual([['grant.replayed', undefined, { grantId: gid }]]);
  });

  it.each<[what: string, end: (at: Stage) => Promise<{ status: number }>, isByAdministrator: boolean]>([
    [
      'a change of the own password',
      ({ browser }) =>
        callerOf(second, browser).put('/account/password', {
          currentPassword: PASSWORD,
          newPassword: 'A long enough password',
        }),
      false,
    ],
    [
      'a change of the password by an administrator',
      async ({ user }) =>
        (await second.admin()).put(`/users/${user.sub}/password`, { password: 'A long enough password' }),
      true,
    ],
    ['a disabled account', async ({ user }) => (await second.admin()).post(`/users/${user.sub}/disable`), true],
    ['a deleted account', async ({ user }) => (await second.admin()).delete(`/users/${user.sub}`), true],
    ['the end of all sessions', async ({ user }) => (await second.admin()).delete(`/users/${user.sub}/sessions`), true],
    ['a reset of the factors', async ({ user }) => (await second.admin()).delete(`/users/${user.sub}/factors`), true],
    [
      'the end of the other sessions by the owner',
      async ({ user }) => callerOf(second, await signedIn(service, user)).delete('/account/sessions'),
      false,
    ],
  ])('of a grant that outlives its session and ends with %s', async (_what, end, isByAdministrator) => {
    const at = await stage(OFFLINE);
    expect((await end(at)).status).toBeLessThan(300);
    const actor = isByAdministrator ? expect.any(String) : undefined;
    expect((await recordsOf(at.user)).slice(2)).toEqual([
      ['grant.revoked', actor, { grantId: at.gid, reason: 'account-changed' }],
    ]);
  });

  it('are events that webhooks can subscribe to', async () => {
    const root = await service.root();
    const body = { url: 'https://hooks.example.com/applications', events: EVENTS };
    const { status, body: created } = await root.post('/webhooks', body);
    expect([status, created.webhook?.events?.toSorted()]).toEqual([201, EVENTS.toSorted()]);
  });
});
