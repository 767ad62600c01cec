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
import { openAdministration } from './administration.ts';

rememberPasswords();

const REASON = 'ticket 4711 – lost laptop';
/** After all tests. */
const LATER = Date.UTC(2100, 0);

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: mailFolder().settings });
  const reasonsOf = async (event: string, filter: string) =>
    (await acme.root.get(`/audit-records?events=${event}&${filter}`)).body.map(
      ({ details }: { details: { reason?: string } }) => details.reason,
    );
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
    for (const event of ['access-code.created', 'factor.removed'])
      expect([event, await reasonsOf(event, `accountId=${account.id}`)]).toEqual([event, [REASON]]);
  });

  it('of acts on a tenant', async () => {
    const tenantId = `t-${newId()}`;
    const user = await acme.world.seed({ tenantId });
    await seedSession(acme.world.deployment, user);
    const path = `/tenants/${tenantId}`;
    expect((await acme.root.post(`${path}/sessions/end`, body())).body).toEqual({ sessions: 1 });
    expect((await acme.root.put(`${path}/login-domains`, body({ loginDomains: [] }))).status).toBe(200);
    expect((await acme.root.post(`${path}/suspend`, body())).body.status).toBe('SUSPENDED');
    expect((await acme.root.post(`${path}/activate`, body())).body.status).toBe('ACTIVE');
    for (const event of ['session.revoked', 'tenant.suspended', 'tenant.activated'])
      expect([event, await reasonsOf(event, `tenantId=${tenantId}`)]).toEqual([event, [REASON]]);
  });
});
