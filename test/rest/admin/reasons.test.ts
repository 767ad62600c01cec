// The reason that an administrator gives for an act stands in its audit record.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { faults } from '../../support/callers.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { seedTotp } from '../../support/factors.ts';
import { mailFolder } from '../../support/mails.ts';
import { seedSession } from '../../support/sessions.ts';
import { NEW_PASSWORD, openAdministration } from './administration.ts';

rememberPasswords();

const REASON = 'ticket 4711 – lost laptop';
/** After all tests. */
const LATER = Date.UTC(2100, 0);

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  const acme = openAdministration({
    ...kind,
    settings: { ...mailFolder().settings, 'app.security.api-key.enabled': 'true' },
  });
  const reasonsOf = async (event: string, filter: string) =>
    (await acme.root.get(`/audit-records?events=${event}&${filter}`)).body.map(
      ({ details }: { details: { reason?: string } }) => details.reason,
    );
  const expectReasons = async (events: readonly string[], filter: string) => {
    for (const event of events) expect([event, await reasonsOf(event, filter)]).toEqual([event, [REASON]]);
  };
  const body = (more: object = {}, reason = REASON) => ({ ...more, reason });
  const query = (reason = REASON) => `?reason=${encodeURIComponent(reason)}`;

  it.each<[event: string, act: (id: string, reason?: string) => Promise<{ status: number }>, seed?: Seed]>([
    ['account.updated', (id, reason) => acme.admin.patch(`/users/${id}`, body({ name: 'Ann' }, reason))],
    ['account.roles-changed', (id, reason) => acme.admin.put(`/users/${id}/roles`, body({ roles: ['SALES'] }, reason))],
    ['account.password-changed', (id, reason) => acme.admin.put(`/users/${id}/password`, body({}, reason))],
    ['account.disabled', (id, reason) => acme.admin.post(`/users/${id}/disable`, body({}, reason))],
    ['account.enabled', (id, reason) => acme.admin.post(`/users/${id}/enable`, body({}, reason)), { disabled: true }],
    [
      'account.unlocked',
      (id, reason) => acme.admin.post(`/users/${id}/unlock`, body({}, reason)),
      { loginFailedCount: 1 },
    ],
    ['account.secured', (id, reason) => acme.admin.post(`/users/${id}/secure`, body({}, reason))],
    ['account.recovery-sent', (id, reason) => acme.admin.post(`/users/${id}/recovery`, body({}, reason))],
    [
      'account.invited',
      (id, reason) => acme.admin.post(`/users/${id}/invite`, body({}, reason)),
      { hasPassword: false },
    ],
    [
      'account.invitation-cancelled',
      (id, reason) => acme.admin.delete(`/users/${id}/invite${query(reason)}`),
      { hasPassword: false, invitationExpiresAt: LATER },
    ],
    ['account.deleted', (id, reason) => acme.admin.delete(`/users/${id}${query(reason)}`)],
  ])('of %s', async (event, act, seed = {}) => {
    const { id } = await acme.world.seed({ email: `${newId()}@mail.test`, ...seed });
    expect((await act(id, 'x'.repeat(501))).status).toBe(400);
    expect((await act(id)).status).toBeLessThan(300);
    expect(await reasonsOf(event, `accountId=${id}`)).toEqual([REASON]);
  });

  it('of access codes and the removal of a factor', async () => {
    const { account } = await seedTotp(acme.world.deployment);
    const path = `/users/${account.id}`;
    const tooLong = await acme.admin.post(`${path}/access-code`, body({ minutes: 5 }, 'x'.repeat(501)));
    expect(faults(tooLong)).toEqual(['reason']);
    expect((await acme.admin.post(`${path}/access-code`, body({ minutes: 5 }))).status).toBe(200);
    expect((await acme.admin.delete(`${path}/factors/totp${query()}`)).status).toBe(204);
    await expectReasons(['access-code.created', 'factor.removed'], `accountId=${account.id}`);
  });

  it('of acts on a tenant', async () => {
    const tenantId = `t-${newId()}`;
    const user = await acme.world.seed({ tenantId });
    await seedSession(acme.world.deployment, user);
    const path = `/tenants/${tenantId}`;
    expect((await acme.root.post(`${path}/sessions/end`, body())).body).toEqual({ sessions: 1 });
    const loginDomains = [`${newId()}.example`];
    expect((await acme.root.put(`${path}/login-domains`, body({ loginDomains }))).status).toBe(200);
    expect((await acme.root.patch(`${path}/policy`, body({ passwordMinLength: 20 }))).status).toBe(200);
    expect((await acme.root.post(`${path}/suspend`, body())).body.status).toBe('SUSPENDED');
    expect((await acme.root.post(`${path}/activate`, body())).body.status).toBe('ACTIVE');
    await expectReasons(
      ['session.revoked', 'tenant.login-domains-set', 'tenant.policy-changed', 'tenant.suspended', 'tenant.activated'],
      `tenantId=${tenantId}`,
    );
    const [change] = (await acme.root.get(`${path}/policy/history`)).body;
    expect(change.to).toEqual({ passwordMinLength: 20 });
  });

  it('of new users, tenants and service accounts, and of what a service account has', async () => {
    const tenantId = `t-${newId()}`;
    expect((await acme.root.post('/tenants', body({ tenantId, name: 'T' }))).status).toBe(201);
    const user = { tenantId, username: newId(), name: 'x', password: NEW_PASSWORD, roles: ['SALES'] };
    expect((await acme.root.post('/users', body(user))).status).toBe(201);
    const account = { tenantId, clientId: newId(), name: 'x', roles: ['SALES'] };
    const created = await acme.root.post('/service-accounts', body(account));
    expect(created.status).toBe(201);
    const { id, secrets } = created.body.serviceAccount;
    const path = `/service-accounts/${id}`;
    const key = await acme.root.post(`${path}/api-keys`, body({ label: 'x' }));
    expect(key.status).toBe(201);
    for (const response of [
      await acme.root.delete(`${path}/api-keys/${key.body.keyId}${query()}`),
      await acme.root.post(`${path}/secrets/${secrets[0].id}/expire`, body()),
      await acme.root.post(`${path}/secrets`, body()),
      await acme.root.patch(path, body({ name: 'Other', roles: ['MANAGER'] })),
      await acme.root.post(`${path}/disable`, body()),
      await acme.root.post(`${path}/enable`, body()),
      await acme.root.delete(path + query()),
    ])
      expect(response.status).toBeLessThan(300);
    await expectReasons(
      [
        'api-key.issued',
        'api-key.revoked',
        'client-secret.expiry-set',
        'account.updated',
        'account.roles-changed',
        'account.disabled',
        'account.enabled',
        'account.deleted',
      ],
      `accountId=${id}`,
    );
    expect(await reasonsOf('client-secret.created', `accountId=${id}`)).toEqual([REASON, REASON]);
    expect(await reasonsOf('account.created', `tenantId=${tenantId}`)).toEqual([REASON, REASON]);
    await expectReasons(['tenant.created'], `tenantId=${tenantId}`);
  });

  it('of acts on applications, webhooks, roles and signing keys', async () => {
    const tenantId = `t-${newId()}`;
    await acme.world.seed({ tenantId });
    const application = { tenantId, name: 'Wiki', type: 'WEB', redirectUris: ['https://wiki.example.com/callback'] };
    const ofApplication = `/applications/${(await acme.root.post('/applications', body(application))).body.application.id}`;
    const secret = await acme.root.post(`${ofApplication}/secrets`, body());
    const webhook = { tenantId, url: 'https://192.0.2.1/hook', events: ['role.created'] };
    const ofWebhook = `/webhooks/${(await acme.root.post('/webhooks', body(webhook))).body.webhook.id}`;
    const role = { tenantId, name: 'CLERK', permissions: [], inherits: [] };
    const ofTenant = `tenantId=${tenantId}`;
    for (const response of [
      secret,
      await acme.root.post(`${ofApplication}/secrets/${secret.body.secret.id}/expire`, body()),
      await acme.root.patch(ofApplication, body({ name: 'Other' })),
      await acme.root.delete(ofApplication + query()),
      await acme.root.post(`${ofWebhook}/rotate-secret`, body()),
      await acme.root.patch(ofWebhook, body({ disabled: true })),
      await acme.root.delete(ofWebhook + query()),
      await acme.root.post('/roles', body(role)),
      await acme.root.patch(`/roles/CLERK?${ofTenant}`, body({ description: 'x' })),
      await acme.root.delete(`/roles/CLERK${query()}&${ofTenant}`),
      await acme.root.post('/signing-keys/rotate', body({ chain: 'ACCESS' })),
    ])
      expect(response.status).toBeLessThan(300);
    await expectReasons(
      [
        ...['created', 'changed', 'deleted'].flatMap((end) =>
          ['application', 'webhook', 'role'].map((of) => `${of}.${end}`),
        ),
        'webhook.secret-rotated',
        'client-secret.created',
        'client-secret.expiry-set',
      ],
      ofTenant,
    );
    expect(await reasonsOf('signing-key.rotated', 'perPage=1')).toEqual([REASON]);
  });
});
