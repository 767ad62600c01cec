// PATCH /users/{id} {disableAt}: the user is disabled at that time.
import { describe, expect, it } from 'vitest';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { backgroundOf } from '../../../src/platform/jobs/background.ts';
import { takeLease } from '../../../src/platform/jobs/lease.ts';
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
    expect(await shown(user.id)).toMatchObject({ disabled: true, state: 'DISABLED' });
    expect('disableAt' in (await shown(user.id))).toBe(false);
    expect((await acme.admin.get(`/users/${user.id}/sessions`)).body).toEqual([]);
    const record = await eventually(async () => {
      const { body } = await acme.admin.get(`/audit-records?accountId=${user.id}&events=account.disabled`);
      expect(body).toHaveLength(1);
      return body[0];
    });
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

  it('is in force at that time everywhere, before the job has done it', async () => {
    const { deployment } = acme.world;
    const mark = newId();
    const user = await acme.world.seed({ name: mark });
    const session = await seedSession(deployment, user);
    const refreshed = await seedSession(deployment, user);
    const disableAt = soon();
    await acme.admin.patch(`/users/${user.id}`, { disableAt });
    // Another process has the job.
    const lease = await eventually(async () => {
      const taken = await takeLease({
        database: backgroundOf(deployment.database),
        clock: deployment.clock.now,
        name: 'disable-accounts',
        durationMs: 3_600_000,
      });
      expect(taken).toBeDefined();
      return taken!;
    });
    /** What each place says of the user. */
    const said = async () => {
      const { username } = user;
      const found = async (filter: string, by = acme.admin) =>
        (await by.get(`/users?query=${mark}${filter}`)).body.map(
          ({ id, state, disabled }: Record<string, unknown>) => ({
            isUser: id === user.id,
            state,
            disabled,
          }),
        );
      const { state, disabled } = await shown(user.id);
      const explained = (await acme.admin.post('/credentials/explain', { username })).body;
      return {
        record: [{ isUser: true, state, disabled }],
        list: await found(''),
        listOfRoot: await found('', acme.root),
        disabled: (await found('&state=DISABLED')).length,
        disabledOfRoot: (await found('&disabled=true&sort=username', acme.root)).length,
        enabled: (await found('&state=ENABLED', acme.root)).length,
        notDisabled: (await found('&disabled=false')).length,
        sessions: (await acme.admin.get(`/users/${user.id}/sessions`)).body.length > 0,
        session: (await acme.root.get(`/sessions/${session.id}`)).status,
        explained: JSON.stringify(explained).includes('the account is disabled'),
        login: (await rest().login({ username, password: 'Correct horse 42' })).status,
        token: (await rest().me(session.accessToken)).status,
      };
    };
    const everywhere = (state: string, disabled: boolean) => {
      const rows = [{ isUser: true, state, disabled }];
      const [yes, no] = [Number(disabled), Number(!disabled)];
      const lists = { record: rows, list: rows, listOfRoot: rows };
      const counts = { disabled: yes, disabledOfRoot: yes, enabled: no, notDisabled: no };
      const status = disabled ? 401 : 200;
      const sessions = { sessions: !disabled, session: disabled ? 404 : 200 };
      return { ...lists, ...counts, ...sessions, explained: disabled, login: status, token: status };
    };
    deployment.clock.advance(SOON_MS - 1);
    expect(await said()).toEqual(everywhere('ENABLED', false));
    deployment.clock.advance(1);
    expect(await said()).toEqual(everywhere('DISABLED', true));
    expect((await rest().refresh(refreshed.cookie)).status).toBe(401);
    // Only an administrator who enables the user undoes it.
    expect((await acme.admin.patch(`/users/${user.id}`, { disableAt: null })).body).toMatchObject({
      state: 'DISABLED',
    });
    expect(await said()).toEqual(everywhere('DISABLED', true));
    const records = (await acme.admin.get(`/audit-records?accountId=${user.id}&events=account.disabled`)).body;
    expect(records.map(({ details }: { details: object }) => details)).toEqual([
      { sessionsEnded: expect.any(Number), scheduled: 'true' },
    ]);
    expect((await acme.admin.post(`/users/${user.id}/enable`)).body).toMatchObject({ state: 'ENABLED' });
    expect((await rest().me(session.accessToken)).status).toBe(401);
    await lease.release(0);
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
