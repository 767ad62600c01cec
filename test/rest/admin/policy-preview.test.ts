// /tenants/{tenantId}/policy/preview and /history: whom a change would affect, and the changes that were made.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { caller, faults } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { seedTotp } from '../../support/factors.ts';
import { problem } from '../../support/problems.ts';
import { seedSession } from '../../support/sessions.ts';
import { openAdministration, pagingOf, TIME } from './administration.ts';

rememberPasswords();

const PATH = expect.stringMatching(/^\/api\/v1\/tenants/);
const HOUR_MS = 3_600_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);

  /** A tenant of its own, with its administrator. */
  async function open() {
    const tenantId = `t-${newId()}`;
    const { world } = acme;
    const admin = await caller(world.deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    const path = `/tenants/${tenantId}/policy`;
    const preview = async (values: object) => {
      const response = await admin.post(`${path}/preview`, values);
      expect([response.status, response.text]).toEqual([200, response.text]);
      return response.body;
    };
    const seed = (more: object = {}) => world.seed({ tenantId, roles: ['SALES'], ...more });
    return { tenantId, admin, path, preview, seed };
  }
  const NOBODY = { sessionsEnded: 0, usersWithoutFactor: 0, passwordsUnaffected: 0 };

  it('counts users and sessions without a factor that they would need', async () => {
    const { preview, seed, tenantId, admin, path } = await open();
    const { deployment } = acme.world;
    const [user] = [await seed(), await seed({ disabled: true })];
    const { account: owner } = await seedTotp(deployment, { tenantId, roles: ['SALES'] });
    await seedSession(deployment, user);
    await seedSession(deployment, owner);
    const later = { passwordsUnaffected: 0, when: 'NEXT_LOGIN_OR_REFRESH' };
    const ofAdministrators = await preview({ secondFactor: 'REQUIRED_FOR_ADMINISTRATORS' });
    expect(ofAdministrators).toEqual({ ...later, usersWithoutFactor: 1, sessionsEnded: 1 });
    expect(await preview({ secondFactor: 'REQUIRED' })).toEqual({ ...later, usersWithoutFactor: 2, sessionsEnded: 3 });
    expect((await admin.get(path)).body.policy).toEqual({});
  });

  it('counts the passwords that stay valid, and says what is in force at once', async () => {
    const { preview, seed } = await open();
    await seed();
    expect(await preview({ passwordMinLength: 20 })).toEqual({ ...NOBODY, passwordsUnaffected: 2, when: 'NOW' });
    expect(await preview({ language: 'de' })).toEqual({ ...NOBODY, when: 'NOW' });
    for (const values of [{ lockMaxFailures: 3 }, { accessTokenTtl: 60 }, { lockMaxFailures: null }, {}])
      expect(await preview(values)).toEqual({ ...NOBODY, when: 'NEXT_LOGIN_OR_REFRESH' });
  });

  it('is refused as the change would be', async () => {
    const { admin, path } = await open();
    const refused = await admin.post(`${path}/preview`, { lockMaxFailures: 9, sessionIdleWindow: 1 });
    expect([refused.status, faults(refused).toSorted()]).toEqual([400, ['lockMaxFailures', 'sessionIdleWindow']]);
    for (const request of [
      acme.admin.post(`${path}/preview`, { lockMaxFailures: 3 }),
      acme.admin.get(`${path}/history`),
    ])
      expect(await request).toEqual(problem(404, 'not-found', PATH));
    const clerk = await caller(acme.world.deployment, { roles: ['SALES'] });
    expect((await clerk.get('/tenants/acme/policy/history')).status).toBe(403);
    expect((await acme.root.post(`${path}/preview`, { lockMaxFailures: 3 })).status).toBe(200);
  });

  it('lists the changes, the newest first, with who made them', async () => {
    const { admin, path } = await open();
    await admin.patch(path, { lockMaxFailures: 3, secondFactor: 'REQUIRED_FOR_ADMINISTRATORS' });
    await acme.root.patch(path, { lockMaxFailures: null });
    const history = await acme.root.get(`${path}/history`);
    const { id, username } = admin.account;
    const first = { lockMaxFailures: 3, secondFactor: 'REQUIRED_FOR_ADMINISTRATORS' };
    const root = { id: acme.root.account.id, username: acme.root.account.username };
    expect([history.status, pagingOf(history)]).toEqual([200, [2, 1, 20]]);
    expect(history.body).toEqual([
      { at: TIME, by: root, from: first, to: { secondFactor: 'REQUIRED_FOR_ADMINISTRATORS' } },
      { at: TIME, by: { id, username }, from: {}, to: first },
    ]);
    expect((await admin.get(`${path}/history?perPage=1&page=2`)).body).toMatchObject([{ to: first }]);
  });

  // The clock moves: all sessions of before are stale.
  it('counts the sessions that become too old, which end now', async () => {
    const { tenantId, path, seed } = await open();
    const { deployment } = acme.world;
    const user = await seed();
    const old = await seedSession(deployment, user);
    deployment.clock.advance(2 * HOUR_MS);
    const young = await seedSession(deployment, user);
    const admin = await caller(deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    const sessions = async () =>
      (await admin.get(`/users/${user.id}/sessions`)).body.map(({ id }: { id: string }) => id);
    const preview = async (values: object) => (await admin.post(`${path}/preview`, values)).body;
    const change = { sessionIdleWindow: 3_600 };
    // That of the first administrator, and one of the user.
    expect(await preview(change)).toEqual({ ...NOBODY, sessionsEnded: 2, when: 'NOW' });
    expect(await sessions()).toEqual([young.id, old.id]);
    expect((await admin.patch(path, change)).status).toBe(200);
    expect(await sessions()).toEqual([young.id]);
    expect(await preview(change)).toEqual({ ...NOBODY, when: 'NEXT_LOGIN_OR_REFRESH' });
    // A longer window begins with the next refresh, and brings no session back.
    expect(await preview({ sessionIdleWindow: 7_200 })).toEqual({ ...NOBODY, when: 'NEXT_LOGIN_OR_REFRESH' });
  });
});
