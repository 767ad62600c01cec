// PATCH /users/{id} {disableAt}: the user is disabled at that time.
import { describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { openAdministration } from './administration.ts';

rememberPasswords();

const SOON_MS = 60_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);
  const rest = () => restClient(acme.world.deployment.url);
  const soon = () => new Date(acme.world.deployment.clock.now() + SOON_MS).toISOString();
  const shown = async (id: string) => (await acme.admin.get(`/users/${id}`)).body;

  it('refuses all credentials from that time on, ends the sessions, and records it', async () => {
    const user = await acme.world.seed();
    const session = await seedSession(acme.world.deployment, user);
    const disableAt = soon();
    const { status, body } = await acme.admin.patch(`/users/${user.id}`, { disableAt });
    expect([status, body.disableAt, body.disabled]).toEqual([200, disableAt, false]);
    acme.world.deployment.clock.advance(SOON_MS - 1);
    expect((await rest().me(session.accessToken)).status).toBe(200);
    acme.world.deployment.clock.advance(1);
    expect((await rest().me(session.accessToken)).status).toBe(401);
    expect((await rest().refresh(session.cookie)).status).toBe(401);
    expect((await rest().login({ username: user.username, password: 'Correct horse 42' })).status).toBe(401);
    await eventually(async () => expect(await shown(user.id)).toMatchObject({ disabled: true, state: 'DISABLED' }));
    expect('disableAt' in (await shown(user.id))).toBe(false);
    expect((await acme.admin.get(`/users/${user.id}/sessions`)).body).toEqual([]);
    const [record] = (await acme.admin.get(`/audit-records?accountId=${user.id}&events=account.disabled`)).body;
    expect(record.details).toEqual({ sessionsEnded: 1, scheduled: 'true' });
    expect((await acme.admin.post(`/users/${user.id}/enable`)).body).toMatchObject({
      disabled: false,
      state: 'ENABLED',
    });
    expect((await rest().login({ username: user.username, password: 'Correct horse 42' })).status).toBe(200);
  });

  it('tells the feed of revocations that the account is stopped', async () => {
    const { database, clock } = acme.world.deployment;
    const { id } = await acme.world.seed();
    await acme.admin.patch(`/users/${id}`, { disableAt: soon() });
    clock.advance(SOON_MS);
    const stopped = () =>
      database.query("SELECT 1 AS one FROM revocations WHERE kind = 'account' AND subject = ? AND until_at > ?", [
        idToBytes(id),
        clock.now(),
      ]);
    await eventually(async () => expect(await stopped()).toHaveLength(1));
    await acme.admin.post(`/users/${id}/enable`);
    expect(await stopped()).toEqual([]);
  });

  it('comes for others also if no SUPER_ADMIN would remain', async () => {
    const { clock } = acme.world.deployment;
    const [first, second] = [
      await acme.world.seed({ tenantId: undefined, roles: ['SUPER_ADMIN'] }),
      await caller(acme.world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] }),
    ];
    const user = await acme.world.seed();
    expect((await second.patch(`/users/${first.id}`, { disableAt: soon() })).status).toBe(200);
    clock.advance(1);
    await acme.admin.patch(`/users/${user.id}`, { disableAt: soon() });
    const { database } = acme.world.deployment;
    const expireAll = (at: number | null) =>
      database.execute('UPDATE accounts SET account_expires_at = ? WHERE tenant_id = ? AND id <> ?', [
        at,
        Buffer.alloc(0),
        idToBytes(first.id),
      ]);
    await expireAll(clock.now() + SOON_MS - 1);
    clock.advance(SOON_MS);
    await eventually(async () => expect(await shown(user.id)).toMatchObject({ disabled: true }));
    await expireAll(null);
    expect((await second.get(`/users/${first.id}`)).body).toMatchObject({ disabled: true, state: 'DISABLED' });
  });

  it('is cleared by null, and is not for the caller itself or the last SUPER_ADMIN', async () => {
    const { id } = await acme.world.seed();
    await acme.admin.patch(`/users/${id}`, { disableAt: soon() });
    expect('disableAt' in (await acme.admin.patch(`/users/${id}`, { disableAt: null })).body).toBe(false);
    expect((await acme.admin.patch(`/users/${acme.admin.account.id}`, { disableAt: soon() })).status).toBe(409);
    const helper = await caller(acme.world.deployment, { roles: ['HELP_DESK'] });
    expect((await helper.patch(`/users/${id}`, { disableAt: soon() })).status).toBe(403);
  });
});
