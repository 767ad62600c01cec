// POST /users/invitations and POST /users/{id}/recovery.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { API, caller, faults } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { mailFolder } from '../../support/mails.ts';
import { restClient } from '../../support/rest-client.ts';
import { openAdministration } from '../admin/administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: mails.settings });
  const newAddress = () => `${newId()}@mail.test`;

  it('invites several users, and those beside one that is refused', async () => {
    const [first, last, taken] = [newAddress(), newAddress(), newAddress()];
    await acme.world.seed({ username: taken });
    const users = [
      { username: first.toUpperCase(), roles: ['SALES'] },
      { username: taken, roles: ['SALES'] },
      { username: 'ann', roles: ['SALES'] },
      { username: newAddress(), roles: ['BOSS'] },
      { username: newAddress(), roles: ['SUPER_ADMIN'] },
      { username: newAddress(), roles: [] },
      { username: newId(), email: last, name: 'Ann Example', roles: ['SALES', 'FLORIST'] },
    ];
    const token = await mails.tokenTo(last, async () => {
      const { status, body } = await acme.admin.post('/users/invitations', { users });
      expect(status).toBe(200);
      expect(body.map(({ error }: { error?: { errorCode: string } }) => error?.errorCode)).toEqual([
        undefined,
        'conflict',
        'validation-error',
        'validation-error',
        'permission-denied',
        'validation-error',
        undefined,
      ]);
      expect(body.map(({ username }: { username: string }) => username)).toEqual(users.map(({ username }) => username));
      expect(body[0].user).toMatchObject({ username: first, name: first, email: first, state: 'INVITED' });
      expect(body[1].error.detail).toBe('The username is taken');
      expect(body[1].error.violations).toEqual([
        { message: 'The username is taken', format: 'usernameTaken', props: ['username'] },
      ]);
      expect(body[2].error.detail).toContain('email');
      expect(body[2].error.violations).toMatchObject([{ props: ['email'] }]);
      expect(body[4].error.violations).toMatchObject([
        { format: 'roleNotGrantable', props: ['roles'], params: { role: 'SUPER_ADMIN' } },
      ]);
      expect(body[4].error.detail).toBe('You cannot grant the role SUPER_ADMIN');
      expect(body[6].user).toMatchObject({ email: last, name: 'Ann Example', heldRoles: ['SALES', 'FLORIST'] });
    });
    const password = 'a long first password';
    const confirmed = await restClient(acme.world.deployment.url).postJson(`${API}/auth/invitation/confirm`, {
      token,
      password,
    });
    expect(confirmed.status).toBe(204);
  });

  it('records the reason for each user', async () => {
    const users = Array.from({ length: 3 }, () => ({ username: newAddress(), roles: ['SALES'] }));
    const reason = 'ticket 4711';
    const { status, body, text } = await acme.admin.post('/users/invitations', { users, reason });
    expect(status, text).toBe(200);
    expect([status, body.filter(({ user }: { user?: object }) => user).length]).toEqual([200, 3]);
    const { body: records } = await acme.admin.get(`/audit-records?accountId=${body[2].user.id}`);
    expect(records.map(({ event, details }: { event: string; details: object }) => ({ event, details }))).toEqual([
      { event: 'account.invited', details: { reason } },
      { event: 'account.created', details: { reason, roles: 'SALES' } },
    ]);
    const long = await acme.admin.post('/users/invitations', { users, reason: 'x'.repeat(501) });
    expect(faults(long)).toEqual(['reason']);
  });

  it('takes 1 to 100 users, of the tenant of the caller', async () => {
    for (const users of [
      [],
      Array.from({ length: 101 }, () => ({ username: 'x@y.test', roles: ['SALES'] })),
      undefined,
    ])
      expect(faults(await acme.admin.post('/users/invitations', { users }))).toEqual(['users']);
    const users = [{ username: newAddress(), roles: ['SALES'] }];
    expect((await acme.admin.post('/users/invitations', { users, tenantId: 'globex' })).status).toBe(403);
    const { body } = await acme.root.post('/users/invitations', { users, tenantId: 'acme' });
    expect(body[0].user.tenantId).toBe('acme');
    const helper = await caller(acme.world.deployment, { roles: ['HELP_DESK'] });
    expect((await helper.post('/users/invitations', { users })).status).toBe(403);
  });

  it('sends the mail of a recovery, also for HELP_DESK, unless the account is an administrator', async () => {
    const email = newAddress();
    const { id, username } = await acme.world.seed({ email });
    const helper = await caller(acme.world.deployment, { roles: ['HELP_DESK'] });
    const token = await mails.tokenTo(email, async () => {
      const { status, text } = await helper.post(`/users/${id}/recovery`);
      expect([status, text]).toEqual([202, '']);
    });
    const rest = restClient(acme.world.deployment.url);
    expect((await rest.open(username)).accessToken).toBeTruthy();
    const newPassword = 'a new and long password';
    expect((await rest.postJson(`${API}/auth/recovery/confirm`, { token, newPassword })).status).toBe(204);
    expect((await rest.login({ username, password: newPassword })).status).toBe(200);
    const [record] = (await acme.admin.get(`/audit-records?accountId=${id}&events=account.recovery-sent`)).body;
    expect(record.actorId).toBe(helper.account.id);
    const admin = await acme.world.seed({ email: newAddress(), roles: ['ADMIN'] });
    expect((await helper.post(`/users/${admin.id}/recovery`)).status).toBe(403);
    for (const without of [{}, { email, hasPassword: false }, { email, disabled: true }]) {
      const user = await acme.world.seed(without);
      expect((await acme.admin.post(`/users/${user.id}/recovery`)).status).toBe(409);
    }
  });
});
